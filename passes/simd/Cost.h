// Whether vectors pay.
#pragma once
#include "passes/analysis/LaneShapes.h"

namespace kiln {

/// Would a vector of `lanes` work-items take less time than as many work-items one by one. A guess in units of a simple
/// operation, in which loops count for what they contain.
bool paysAsVectors(mlir::Region &body, const LaneShapes &shapes, unsigned lanes, const mlir::DataLayout &layout);

} // namespace kiln
