// Lowers regions to loops over the work-items of a group.
#pragma once
#include "passes/wg/Slots.h"

namespace kiln {

/// Replaces a region by two loops, over the rows of the group (one per y and z, unless rows are along another
/// dimension) and over a row. A dimension of one work-item has no loop. If the region has a vector body, a loop over
/// whole vectors precedes the scalar loop, which runs the tail. Loops are bottom-tested, because no group is empty.
/// Their iterations are marked as independent, which the execution model guarantees for all memory but private
/// variables, so LLVM's vectoriser may handle a region without a vector body. `isLargeKernel`: disables unrolling.
/// Returns the block after the loops.
mlir::Block *loopOverItems(wg::ParallelOp parallel, GroupFunction &group, Slots &slots, bool isLargeKernel);

/// LLVM's vectoriser and unroller take O(n^2) time, so both are off for loops of more operations.
inline constexpr unsigned MaxLlvmLoopOps = 3000;

} // namespace kiln
