// Conditions that are made of several.
#pragma once
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SmallSet.h"

namespace kiln {

/// What has to hold, each once, for a condition made of `and`s to hold.
inline llvm::SmallVector<mlir::Value> conjuncts(mlir::Value condition) {
  llvm::SmallVector<mlir::Value> sides{condition}, found;
  llvm::SmallDenseSet<mlir::Value> seen;
  while (!sides.empty()) {
    mlir::Value side = sides.pop_back_val();
    if (!seen.insert(side).second) // as one that many share may
      continue;
    if (auto conjunction = side.getDefiningOp<mlir::arith::AndIOp>())
      sides.append({conjunction.getRhs(), conjunction.getLhs()});
    else
      found.push_back(side);
  }
  return found;
}

} // namespace kiln
