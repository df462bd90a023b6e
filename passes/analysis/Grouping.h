// Whether a kernel can tell how its work-items are grouped.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln {

/// Asked of a kernel whose regions are graphs. One that has no barrier, no local memory and no question about its group
/// does the same in groups of any size, so that the runtime may choose another than the one it was given. A loop around
/// what others change may wait for them: such work-items stay in groups of their own.
bool seesGroups(mlir::func::FuncOp kernel);

/// Asked of a kernel whose regions are graphs: has it a loop that reads memory. Its work-items may read what others
/// around them read, so that it had better run in tiles that caches hold than in rows.
bool readsInLoops(mlir::func::FuncOp kernel);

} // namespace kiln
