// Code size.
#pragma once
#include "mlir/IR/Operation.h"

namespace kiln {

/// The number of operations in a region, or of an operation and its regions.
template <typename Root> unsigned operationsIn(Root &&root) {
  unsigned count = 0;
  root.walk([&](mlir::Operation *) { ++count; });
  return count;
}

/// The same as `operationsIn(region) > limit`, but counts no further than that.
inline bool hasMoreOperations(mlir::Region &region, unsigned limit) {
  unsigned count = 0;
  return region
      .walk([&](mlir::Operation *) {
        return ++count > limit ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace kiln
