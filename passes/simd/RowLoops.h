// Loops in which each work-item walks along a row of its own.
#pragma once
#include "passes/analysis/LaneShapes.h"

namespace kiln {

/// Gives such loops a first part whose rounds do what several did, so that a work-item reads many neighbours at once
/// (AccessRuns).
void blockRowLoops(mlir::Region &body, const LaneShapes &shapes, const mlir::DataLayout &layout);

} // namespace kiln
