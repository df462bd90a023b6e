// Loops with a small constant trip count.
#pragma once
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <optional>

namespace kiln {

/// A carried value that starts at a constant, steps by a constant, and is compared with one.
struct LoopCounter {
  unsigned iterations = 0; // executions of the `before` block
  mlir::BlockArgument number;
};

/// Returns nothing if the loop has no such value, or more than 64 iterations.
std::optional<LoopCounter> loopCounter(mlir::scf::WhileOp loop);

} // namespace kiln
