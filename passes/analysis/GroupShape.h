// How a kernel depends on the local size.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln {

/// Returns true if the kernel has a barrier, local memory or a query about its group. Otherwise its result is the same
/// for every local size, and the runtime may choose another one than the application did. A loop around an atomic or
/// volatile load may wait for other work-items and counts as well. Expects regions with plain control flow.
bool dependsOnLocalSize(mlir::func::FuncOp kernel);

/// Returns the dimensions whose global ids the kernel uses (bit d: dimension d); 0 if the kernel depends on its group.
/// In these, a launch may have more work-items than the NDRange if the additional ones end at once.
unsigned roundableDims(mlir::func::FuncOp kernel);

/// Returns true if the kernel has a loop and loads from memory. Its work-items may read what adjacent ones read, so
/// groups should be tiles, whose data caches hold, rather than rows. Expects regions with plain control flow.
bool readsInLoops(mlir::func::FuncOp kernel);

} // namespace kiln
