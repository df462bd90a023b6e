#include "passes/gpu/Lockstep.h"
#include "dialects/ocl/Ocl.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace kiln::gpu {
namespace {

/// Returns true if the operation's result is equal in all lanes whatever its operands are.
bool unites(Operation *op) {
  if (auto combine = dyn_cast<ocl::CombineOp>(op))
    return combine.getUniform() && combine.getGroupOperation() == ocl::GroupOperation::reduce;
  auto shuffle = dyn_cast<ocl::ShuffleOp>(op);
  return shuffle && shuffle.getUniform(); // a broadcast
}

/// Returns true if the operation's results differ between lanes whatever its operands are.
bool separates(Operation *op) {
  if (auto query = dyn_cast<ocl::QueryOp>(op))
    return query.getKind() == ocl::Query::local_id || query.getKind() == ocl::Query::global_id;
  if (auto query = dyn_cast<ocl::LinearQueryOp>(op))
    return query.getKind() == ocl::LinearQuery::local_linear_id ||
           query.getKind() == ocl::LinearQuery::global_linear_id ||
           query.getKind() == ocl::LinearQuery::sub_group_local_id;
  // An asm statement may read the lane's number.
  return op->getNumRegions() != 0 || !isMemoryEffectFree(op) || isa<LLVM::InlineAsmOp>(op);
}
} // namespace

Lockstep::Lockstep(func::FuncOp kernel) : body_(&kernel.getBody()), dominance_(kernel) {
  for (Block &block : *body_)
    for (Operation &op : block)
      if (separates(&op) && !unites(&op))
        llvm::for_each(op.getResults(), [&](Value result) { mark(result); });
  while (!work_.empty())
    for (OpOperand &use : work_.pop_back_val().getUses())
      spreadThrough(use);
}

void Lockstep::mark(Value value) {
  if (varying_.insert(value).second)
    work_.push_back(value);
}

void Lockstep::markAll(Block &block) {
  llvm::for_each(block.getArguments(), [&](Value argument) { mark(argument); });
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::ConstantLike>())
      llvm::for_each(op.getResults(), [&](Value result) { mark(result); });
}

void Lockstep::spreadThrough(OpOperand &use) {
  Operation *op = use.getOwner();
  if (!op->hasTrait<OpTrait::IsTerminator>()) {
    if (!unites(op))
      llvm::for_each(op->getResults(), [&](Value result) { mark(result); });
    return;
  }
  auto branch = dyn_cast<BranchOpInterface>(op);
  if (std::optional<BlockArgument> argument =
          branch ? branch.getSuccessorBlockArgument(use.getOperandNumber()) : std::nullopt)
    mark(*argument);
  else if (op->getNumSuccessors() > 1)
    diverge(op->getBlock());
}

void Lockstep::diverge(Block *block) {
  if (block->getParent() != body_ || !branches_.insert(block).second)
    return;
  auto *node = dominance_.getNode(block);
  Block *join = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  if (join) {
    joins_.insert(join);
    llvm::for_each(join->getArguments(), [&](Value argument) { mark(argument); });
  }
  SmallVector<Block *> reached(block->getSuccessors());
  llvm::DenseSet<Block *> seen;
  while (!reached.empty()) {
    Block *next = reached.pop_back_val();
    if (next == join || !seen.insert(next).second)
      continue;
    if (divergent_.insert(next).second)
      markAll(*next);
    llvm::append_range(reached, next->getSuccessors());
  }
}

} // namespace kiln::gpu
