// Splits structured kernels at their barriers.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/analysis/Barriers.h"

namespace kiln {
class CheckSites;

/// Splits a kernel of one block with structured control flow into parallel regions. Fails with a diagnostic if a
/// barrier is in an operation other than scf.if and scf.while. `sites`: null unless work-items that do not reach a
/// barrier are reported. With `tracksGroups`, the code calls the runtime at each barrier.
mlir::LogicalResult formRegions(mlir::func::FuncOp kernel, Barriers &barriers, CheckSites *sites, bool tracksGroups);

} // namespace kiln
