// Unrolls loops that index private arrays.
#pragma once
#include "mlir/IR/Region.h"

namespace kiln {

/// Fully unrolls loops of at most 64 iterations (a constant) that index private variables by their counter, so that
/// LLVM can promote the arrays to registers. Innermost loops first, and at most 600 operations in total.
void unrollPrivateArrayLoops(mlir::Region &body);

} // namespace kiln
