// Splits kernels with unstructured control flow at their barriers.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/analysis/Barriers.h"

namespace kiln {

/// Splits a kernel with any control flow graph at its barriers. Fails with a diagnostic if it contains a collective or
/// a sub-group barrier. With `tracksGroups`, the code calls the runtime at each barrier.
mlir::LogicalResult resumeAtBarriers(mlir::func::FuncOp kernel, Barriers &barriers, bool tracksGroups);

} // namespace kiln
