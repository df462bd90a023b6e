// Widens the operations of a block: finds for each one how all lanes execute it. This is the only place that
// distinguishes all kinds of operations; each kind has a file.
#pragma once
#include "passes/simd/emit/VectorBody.h"

namespace kiln {

/// Emits the block's operations other than its terminator, for the lanes of `mask`.
void widenBlock(VectorBody &body, mlir::Block &block, mlir::Value mask);

} // namespace kiln
