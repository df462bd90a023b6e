// The way through barriers for kernels whose control flow is not structured.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/analysis/Barriers.h"

namespace kiln {

/// Splits a kernel at its barriers, whatever its control flow graph looks like.
mlir::LogicalResult resumeAtBarriers(mlir::func::FuncOp kernel, Barriers &barriers);

} // namespace kiln
