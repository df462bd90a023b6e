// Regions in which every work-item does the same.
#pragma once
#include "passes/analysis/LaneShapes.h"

namespace kiln {

/// Returns true if the region has a store, and every work-item stores the same values to the same addresses, under the
/// same conditions: `for (int i = 0; i < 2182; i++) tile[i] = 0;`. One work-item of a group can do it for all: a
/// work-item that reads what another one stores in the region is in a data race.
bool isSameForAll(mlir::Region &region, const LaneShapes &shapes);

} // namespace kiln
