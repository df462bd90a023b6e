// Loops that count through private arrays, unrolled.
#pragma once
#include "mlir/IR/Region.h"

namespace kiln {

/// Replaces short loops with a known number of rounds that index private variables by their counter, so that these
/// become registers. Innermost ones first; nothing grows beyond a limit.
void unrollArrayLoops(mlir::Region &body);

} // namespace kiln
