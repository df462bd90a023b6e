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

} // namespace kiln
