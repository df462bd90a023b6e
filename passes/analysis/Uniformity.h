// Which values are the same for every work-item that is active where they are computed.
//
// Works on structured code whose loops around barriers run in lockstep: a value that a loop carries is uniform inside
// the loop when its first and its next value are, whoever has left already; behind the loop it is uniform only if all
// leave together. Loads from shared memory at a uniform address count as uniform: work-items that disagreed would be in
// a data race. Private memory, atomics and calls count as varying. What the work-group reduces to one value is uniform,
// what a sub-group does is not: the others have theirs.
#pragma once
#include "llvm/ADT/DenseSet.h"
#include "mlir/IR/Operation.h"

namespace kiln {

class Uniformity {
public:
  explicit Uniformity(mlir::Operation *root);
  bool isVarying(mlir::Value value) const { return varying_.contains(value); }
  /// `other` stands for `value` from now on.
  void replace(mlir::Value value, mlir::Value other) {
    if (isVarying(value))
      varying_.insert(other);
  }

private:
  void mark(mlir::Value value);
  void spreadThrough(mlir::OpOperand &use);
  void seed(mlir::Operation *op);

  llvm::DenseSet<mlir::Value> varying_;
  llvm::SmallVector<mlir::Value> work_;
};

} // namespace kiln
