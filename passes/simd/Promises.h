// What an operation promises of its operands and its result: not to overflow, to stay in its object, to be a number.
#pragma once
#include "mlir/IR/Operation.h"

namespace kiln {

/// For an operation that comes to stand where more work-items run it than before, or one for the others: those promised
/// nothing.
void dropPromises(mlir::Operation *op);

} // namespace kiln
