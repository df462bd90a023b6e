// Loads whose lanes probably lie close together: their index is what rises evenly from lane to lane, but rounded, cut
// or clamped, as coordinates of pictures are.
#pragma once
#include "passes/analysis/LaneShapes.h"
#include "passes/analysis/LinearAddress.h"
#include <optional>

namespace kiln {

/// The one number of the address that lanes do not share, which counts elements of this type, of 32 bits; nothing for
/// other loads.
std::optional<LinearAddress::Term> nearIndex(mlir::Value pointer, mlir::Type type, const LaneShapes &shapes,
                                             const mlir::DataLayout &layout);

} // namespace kiln
