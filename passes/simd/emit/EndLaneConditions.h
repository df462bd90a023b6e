// Conditions that need no vector. A comparison of a value that rises from lane to lane with a uniform one is monotonic
// in the lane, so the first and the last lane decide it for all.
#pragma once
#include "passes/simd/emit/VectorBody.h"

namespace kiln {

/// A vector of conditions, evaluated with the first and the last lane only.
struct EndLaneResult {
  mlir::Value all;
  mlir::Value any = {};  // null: needs the vector of conditions
  mlir::Value more = {}; // false: no lane of this vector or of a later one of the row holds; null: unknown
  bool isPrefix = false; // the lanes that hold are the first ones
};

/// Returns true if every conjunct is uniform or decided by two lanes. Emits nothing.
bool isDecidedByEndLanes(VectorBody &body, mlir::Value condition);

/// Evaluates a condition under no mask. Nothing if the end lanes do not decide it.
std::optional<EndLaneResult> evaluateAtEndLanes(VectorBody &body, mlir::Value condition);

} // namespace kiln
