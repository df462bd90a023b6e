// Notes of accesses that all work-items of a group execute, one for the group.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln {

/// Of a tracked kernel that is one parallel region, and thus has no barrier.
void noteGroups(mlir::func::FuncOp kernel);

} // namespace kiln
