// Splits structured kernels at their barriers.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/analysis/Barriers.h"

namespace kiln {

/// Splits a kernel of one block with structured control flow into parallel regions. Fails with a diagnostic if a
/// barrier is in an operation other than scf.if and scf.while.
mlir::LogicalResult formRegions(mlir::func::FuncOp kernel, Barriers &barriers);

} // namespace kiln
