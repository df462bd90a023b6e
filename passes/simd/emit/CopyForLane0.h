// Operations that lane 0 executes for all lanes: those whose results are uniform or strided.
#pragma once
#include "passes/simd/emit/VectorBody.h"

namespace kiln {

/// Copies an operation with lane 0's operands. Under a mask lane 0 may be inactive: the copy does not trap then, and
/// has no poison-generating flags.
void copyForLane0(VectorBody &body, mlir::Operation *op, mlir::Value mask);

} // namespace kiln
