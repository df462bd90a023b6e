#include "passes/wg/UnrollWhile.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace kiln {
namespace {

// What follows from constants is one.
void cloneFolded(OpBuilder &b, Operation &op, IRMapping &mapping) {
  Operation *copy = b.clone(op, mapping);
  SmallVector<Value> folded;
  if (copy->getNumRegions() || failed(b.tryFold(copy, folded)) || folded.empty())
    return;
  mapping.map(op.getResults(), folded);
  copy->erase();
}

} // namespace

void unrollWhile(scf::WhileOp loop, unsigned rounds) {
  OpBuilder b(loop);
  SmallVector<Value> carried(loop.getInits()), handed;
  for (unsigned round = 0; round < rounds; ++round) {
    IRMapping mapping;
    mapping.map(loop.getBeforeArguments(), carried);
    for (Operation &op : loop.getBeforeBody()->without_terminator())
      cloneFolded(b, op, mapping);
    handed.clear();
    for (Value value : loop.getConditionOp().getArgs())
      handed.push_back(mapping.lookupOrDefault(value));
    if (round + 1 == rounds)
      break;
    mapping.map(loop.getAfterArguments(), handed);
    for (Operation &op : loop.getAfterBody()->without_terminator())
      cloneFolded(b, op, mapping);
    carried.clear();
    for (Value value : loop.getYieldOp().getOperands())
      carried.push_back(mapping.lookupOrDefault(value));
  }
  loop.replaceAllUsesWith(handed);
  loop.erase();
}

} // namespace kiln
