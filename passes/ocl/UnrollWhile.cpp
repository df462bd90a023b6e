#include "passes/ocl/UnrollWhile.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace kiln {
namespace {

void cloneFolded(OpBuilder &b, Operation &op, IRMapping &mapping) {
  Operation *copy = b.clone(op, mapping);
  SmallVector<Value> folded;
  if (copy->getNumRegions() || failed(b.tryFold(copy, folded)) || folded.empty())
    return;
  mapping.map(op.getResults(), folded);
  copy->erase();
}

// Clones the block with these arguments. Returns the copies of `results`.
SmallVector<Value> cloneBlock(OpBuilder &b, Block &block, ValueRange arguments, ValueRange results) {
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator())
    cloneFolded(b, op, mapping);
  return llvm::map_to_vector(results, [&](Value value) { return mapping.lookupOrDefault(value); });
}

} // namespace

Value conditionOperandOf(scf::WhileOp loop, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getOwner() == loop.getAfterBody())
    return loop.getConditionOp().getArgs()[argument.getArgNumber()];
  return value;
}

SmallVector<Value> cloneConditionBlock(OpBuilder &b, scf::WhileOp loop, ValueRange carried) {
  return cloneBlock(b, *loop.getBeforeBody(), carried, loop.getConditionOp().getArgs());
}

Value cloneCondition(OpBuilder &b, scf::WhileOp loop, ValueRange carried, SmallVectorImpl<Value> &forwarded) {
  SmallVector<Value> results{loop.getConditionOp().getCondition()};
  llvm::append_range(results, loop.getConditionOp().getArgs());
  results = cloneBlock(b, *loop.getBeforeBody(), carried, results);
  forwarded.assign(results.begin() + 1, results.end());
  return results.front();
}

SmallVector<Value> cloneBodyBlock(OpBuilder &b, scf::WhileOp loop, ValueRange forwarded) {
  return cloneBlock(b, *loop.getAfterBody(), forwarded, loop.getYieldOp().getOperands());
}

void unrollWhile(scf::WhileOp loop, unsigned iterations) {
  OpBuilder b(loop);
  SmallVector<Value> forwarded = cloneConditionBlock(b, loop, loop.getInits());
  for (unsigned iteration = 1; iteration < iterations; ++iteration)
    forwarded = cloneConditionBlock(b, loop, cloneBodyBlock(b, loop, forwarded));
  loop.replaceAllUsesWith(forwarded);
  loop.erase();
}

} // namespace kiln
