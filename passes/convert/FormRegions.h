// A structured kernel's barriers as the ends of parallel regions.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/analysis/Barriers.h"

namespace kiln {

/// Splits a kernel of one block, with structured control flow in it, into regions; with a diagnostic where a barrier
/// stands in an operation that has no regions of its own.
mlir::LogicalResult formRegions(mlir::func::FuncOp kernel, Barriers &barriers);

} // namespace kiln
