// Short vectors that stay as they are: those of neighbours side by side, where nobody asks for their components.
#pragma once
#include "passes/analysis/LaneShapes.h"

namespace kiln {

/// How many work-items' short vectors fill two of the machine's vectors of `bits`, in a body that only loads, stores
/// and computes with whole ones; otherwise 0. Such a body needs no shuffle, and narrow numbers fill vectors.
unsigned flatLanes(mlir::Region &body, const LaneShapes &shapes, unsigned bits, const mlir::DataLayout &layout);

/// Is it done with each element by itself.
bool isElementwise(mlir::Operation *op);

} // namespace kiln
