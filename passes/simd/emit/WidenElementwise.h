// Operations that compute each lane's result from that lane's operands alone.
#pragma once
#include "passes/simd/emit/VectorBody.h"

namespace kiln {

/// Widens an operation for which `isElementwise` (passes/analysis/Elementwise.h) is true. Under a mask, drops
/// poison-generating flags: they hold for active lanes only. A poison lane of a condition would make `any(mask)`
/// poison.
void widenElementwise(VectorBody &body, mlir::Operation *op, mlir::Value mask);

} // namespace kiln
