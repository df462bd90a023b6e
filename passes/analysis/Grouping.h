// Whether a kernel can tell how its work-items are grouped.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln {

/// Asked of a kernel in regions. One that has no barrier, no local memory and no question about its group does the same
/// in groups of any size, so that the runtime may choose another than the one it was given.
bool seesGroups(mlir::func::FuncOp kernel);

} // namespace kiln
