// Short vectors in the AoS form: contiguous per lane, those of adjacent lanes side by side.
#pragma once
#include "passes/analysis/LaneShapes.h"

namespace kiln {

/// Returns how many work-items' short vectors fill two machine vectors of `bits`, if the body only loads, stores and
/// computes with whole short vectors; otherwise 0. Such a body needs no shuffles, and narrow elements fill vectors.
unsigned aosWidth(mlir::Region &body, const LaneShapes &shapes, unsigned bits, const mlir::DataLayout &layout);

} // namespace kiln
