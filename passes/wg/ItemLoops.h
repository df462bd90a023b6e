// Regions as loops over the work-items of a group.
#pragma once
#include "passes/wg/Slots.h"

namespace kiln {

/// Puts two loops in a region's place, over the rows of the group and over x. A group has one row for each y and z; a
/// dimension that is known to have one work-item gets no loop. Where the region has a body for vectors, a loop over
/// whole vectors stands before the one over x, which does what they leave. Loops are bottom-tested (no group is empty)
/// and say that their iterations do not depend on each other, which the execution model guarantees for everything but
/// private variables: where there is no body for vectors LLVM's vectoriser may take the loop over x. `isLargeKernel`:
/// loops are not to be unrolled. Gives the block behind them.
mlir::Block *loopOverItems(wg::ParallelOp parallel, GroupFunction &group, Slots &slots, bool isLargeKernel);

/// LLVM takes time that grows with the square of what it makes vectors of or unrolls, so that it is kept from that
/// where there are more operations than it can take.
bool isTooLargeForVectors(mlir::Region &region);

} // namespace kiln
