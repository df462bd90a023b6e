// Loads whose lanes' addresses are probably close together: the index is strided but for rounding or clamping, as the
// coordinates of an image are.
#pragma once
#include "passes/analysis/LaneShapes.h"
#include "passes/analysis/LinearAddress.h"
#include <optional>

namespace kiln {

/// The only term of the address that varies by lane: an index of elements of this type, which has 32 bits. Nothing for
/// other loads.
std::optional<LinearAddress::Term> permuteLoadIndex(mlir::Value pointer, mlir::Type type, const LaneShapes &shapes,
                                                    const mlir::DataLayout &layout);

/// The same for elements of any size and objects of any kind, if the index does not depend on a division, remainder,
/// shift or mask: the addresses are consecutive in nearly every vector. Vectors that span two tiles are those of the
/// fallback body, which need no check.
std::optional<LinearAddress::Term> clampedIndex(mlir::Value pointer, mlir::Type type, const LaneShapes &shapes,
                                                const mlir::DataLayout &layout);

} // namespace kiln
