#include "passes/wg/UnrollWhile.h"
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

// Given the block's arguments, what its end hands on.
SmallVector<Value> put(OpBuilder &b, Block &block, ValueRange arguments, ValueRange results) {
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator())
    cloneFolded(b, op, mapping);
  return llvm::map_to_vector(results, [&](Value value) { return mapping.lookupOrDefault(value); });
}

} // namespace

Value beforeOf(scf::WhileOp loop, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getOwner() == loop.getAfterBody())
    return loop.getConditionOp().getArgs()[argument.getArgNumber()];
  return value;
}

SmallVector<Value> putBefore(OpBuilder &b, scf::WhileOp loop, ValueRange carried) {
  return put(b, *loop.getBeforeBody(), carried, loop.getConditionOp().getArgs());
}

SmallVector<Value> putAfter(OpBuilder &b, scf::WhileOp loop, ValueRange handed) {
  return put(b, *loop.getAfterBody(), handed, loop.getYieldOp().getOperands());
}

void unrollWhile(scf::WhileOp loop, unsigned rounds) {
  OpBuilder b(loop);
  SmallVector<Value> handed = putBefore(b, loop, loop.getInits());
  for (unsigned round = 1; round < rounds; ++round)
    handed = putBefore(b, loop, putAfter(b, loop, handed));
  loop.replaceAllUsesWith(handed);
  loop.erase();
}

} // namespace kiln
