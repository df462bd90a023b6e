// Cost model of the vectoriser.
#pragma once
#include "passes/simd/decide/AccessGroups.h"
#include "passes/simd/decide/ScatteredUpdates.h"

namespace kiln {

/// The cost of one vector's work-items in the scalar and in the vector body, in units of a simple operation. A loop
/// counts as a fixed number of iterations.
struct Cost {
  double scalar = 0, vector = 0;
  bool pays() const { return vector < scalar; }
  Cost &operator+=(const Cost &other) {
    scalar += other.scalar, vector += other.vector;
    return *this;
  }
};

Cost costOf(mlir::Region &body, const LaneShapes &shapes, const AccessGroups &groups, const ScatteredUpdates &updates,
            unsigned lanes, const CpuTargetInfo &target, const mlir::DataLayout &layout);

} // namespace kiln
