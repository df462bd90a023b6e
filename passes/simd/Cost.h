// What vectors cost.
#pragma once
#include "passes/simd/AccessRuns.h"

namespace kiln {

/// Of as many work-items as a vector has, one by one and together. A guess in units of a simple operation, in which
/// loops count for what they contain.
struct Cost {
  double scalar = 0, vector = 0;
  bool pays() const { return vector < scalar; }
  Cost &operator+=(const Cost &other) {
    scalar += other.scalar, vector += other.vector;
    return *this;
  }
};

/// `picks`: has the machine an instruction by which each lane picks an element of 32 bits.
Cost costOf(mlir::Region &body, const LaneShapes &shapes, const AccessRuns &runs, unsigned lanes, bool picks,
            const mlir::DataLayout &layout);

} // namespace kiln
