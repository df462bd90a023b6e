// Loops that may wait for another work-item.
#pragma once
#include "passes/analysis/LaneShapes.h"

namespace kiln {

/// Returns true if a varying loop condition depends on the result of an atomic, a volatile load or a clock read. Such a
/// loop may be a spin lock. Lanes run in lockstep, so the lane that holds the lock could never release it while another
/// lane spins.
bool mayWaitForOtherItem(mlir::Region &body, const LaneShapes &shapes);

} // namespace kiln
