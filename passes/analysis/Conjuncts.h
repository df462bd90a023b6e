// The operands of a conjunction.
#pragma once
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SmallSet.h"

namespace kiln {

/// The conditions that a tree of `arith.andi` joins, each once.
inline llvm::SmallVector<mlir::Value> conjuncts(mlir::Value condition) {
  llvm::SmallVector<mlir::Value> sides{condition}, found;
  llvm::SmallDenseSet<mlir::Value> seen;
  while (!sides.empty()) {
    mlir::Value side = sides.pop_back_val();
    if (!seen.insert(side).second) // shared by several conjunctions
      continue;
    if (auto conjunction = side.getDefiningOp<mlir::arith::AndIOp>())
      sides.append({conjunction.getRhs(), conjunction.getLhs()});
    else
      found.push_back(side);
  }
  return found;
}

} // namespace kiln
