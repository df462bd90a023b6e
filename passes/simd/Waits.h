// Loops whose end depends on what other work-items do.
#pragma once
#include "passes/analysis/LaneShapes.h"

namespace kiln {

/// Is there a loop that lanes leave by what an atomic operation or a volatile access gave them. Lanes of a vector go
/// round together, so one that holds a lock would wait for those that wait for it.
bool waits(mlir::Region &body, const LaneShapes &shapes);

} // namespace kiln
