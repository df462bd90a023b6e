// Which operations compute each element of a vector alone.
#pragma once
#include "mlir/IR/Operation.h"

namespace kiln {

/// Returns true if the operation computes each element of its results from the same element of its operands.
bool isElementwise(mlir::Operation *op);

} // namespace kiln
