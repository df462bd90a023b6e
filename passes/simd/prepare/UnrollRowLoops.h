// Loops in which each work-item reads its own row of memory.
#pragma once
#include "passes/analysis/LaneShapes.h"
#include "passes/target/CpuTargetInfo.h"

namespace kiln {

/// Unrolls such loops by up to 8, with a remainder loop, so that the loads of one iteration form an access group
/// (AccessGroups.h).
void unrollRowLoops(mlir::Region &body, const LaneShapes &shapes, const CpuTargetInfo &target,
                    const mlir::DataLayout &layout);

} // namespace kiln
