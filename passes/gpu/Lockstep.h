// Blocks that all lanes of a sub-group execute together.
//
// A branch whose condition differs between lanes is divergent, and so are the blocks that it leads to, up to its
// immediate post-dominator, where the lanes meet. All other blocks are executed in lockstep: each time by all lanes of
// the sub-group, also in a loop. Kernel arguments, sizes and ids of groups and sub-groups are equal in all lanes; ids
// of work-items, loaded values and all values of divergent blocks are taken to differ.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/DenseSet.h"

namespace kiln::gpu {

class Lockstep {
public:
  explicit Lockstep(mlir::func::FuncOp kernel);

  /// Returns true if all lanes of a sub-group execute the block, whenever one does.
  bool contains(mlir::Block *block) const { return block->getParent() == body_ && !divergent_.contains(block); }
  /// Returns true if lanes meet at the block that have diverged before.
  bool isJoin(mlir::Block *block) const { return joins_.contains(block); }

private:
  void mark(mlir::Value value);
  void markAll(mlir::Block &block);
  void spreadThrough(mlir::OpOperand &use);
  void diverge(mlir::Block *block);

  mlir::Region *body_;
  mlir::PostDominanceInfo dominance_;
  llvm::DenseSet<mlir::Value> varying_;
  llvm::SmallVector<mlir::Value> work_; // varying values whose uses are not visited
  llvm::DenseSet<mlir::Block *> divergent_, joins_, branches_;
};

} // namespace kiln::gpu
