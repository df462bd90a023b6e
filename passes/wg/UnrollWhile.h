// A loop as its rounds one after the other.
#pragma once
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln {

/// Puts `rounds` rounds in the loop's place, of which the last ends with its condition.
void unrollWhile(mlir::scf::WhileOp loop, unsigned rounds);

} // namespace kiln
