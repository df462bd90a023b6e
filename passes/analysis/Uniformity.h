// Uniform values: the same for every work-item of the group that is active where they are computed.
//
// Works on structured code whose loops around barriers run in lockstep. A value that a loop carries is uniform inside
// the loop if its first and its next value are, whichever work-items have left; after the loop it is uniform only if
// all leave together. Loads from global and local memory at a uniform address are uniform: work-items that read
// different values would be in a data race. Private memory, atomics and calls are varying. A reduction over the
// work-group is uniform; one over a sub-group is not, as each sub-group has its own result.
#pragma once
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace kiln {

class Uniformity {
public:
  explicit Uniformity(mlir::Operation *root);
  bool isVarying(mlir::Value value) const { return varying_.contains(value); }
  /// Records that `other` replaces `value`.
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
