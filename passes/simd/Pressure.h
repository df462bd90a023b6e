// How many vectors a body keeps alive at once.
#pragma once
#include "passes/analysis/LaneShapes.h"

namespace kiln {

/// In registers of the machine's vectors, one of which holds 32 bits for each lane. Addresses, and what all lanes
/// share, take none.
unsigned vectorPressure(mlir::Region &body, const LaneShapes &shapes, const mlir::DataLayout &layout);

} // namespace kiln
