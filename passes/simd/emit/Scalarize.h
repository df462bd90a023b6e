// Operations without a vector form.
#pragma once
#include "passes/simd/emit/VectorBody.h"

namespace kiln {

/// Emits one scalar operation per active lane, in the order of the lanes.
void scalarize(VectorBody &body, mlir::Operation *op, mlir::Value mask);

} // namespace kiln
