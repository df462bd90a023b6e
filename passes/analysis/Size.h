// How much code there is.
#pragma once
#include "mlir/IR/Operation.h"

namespace kiln {

/// Of an operation or a region, with all that is inside.
template <typename Root> unsigned operationsIn(Root &&root) {
  unsigned count = 0;
  root.walk([&](mlir::Operation *) { ++count; });
  return count;
}

} // namespace kiln
