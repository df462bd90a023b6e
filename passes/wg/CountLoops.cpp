// Turns while loops that count up into scf.for. No default pipeline runs it: transform-dialect schedules do, because
// transform.loop.unroll and its like take counted loops (docs/schedules.md).
//
//   %r:2 = scf.while (%i = %low, %x = %a) {              %r = scf.for %i = %low to %high step %c4
//     %more = arith.cmpi slt, %i, %high                        iter_args(%x = %a) {
//     scf.condition(%more) %i, %x                  ==>     ...
//   } do {                                                 scf.yield %y
//     ...                                                }
//     %next = arith.addi %i, %c4
//     scf.yield %next, %y
//   }
//
// Legal because the step is a constant above zero, which scf.for requires, and both forms compare with slt.
// Not handled: unsigned comparisons, and conditions with more operations than the comparison.
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/Pass.h"

using namespace mlir;

namespace kiln {
#include "passes/CountLoops.pass.inc"
namespace {

/// Returns true if the comparison's smaller side is a value of the loop that the body increases by a constant.
bool countsUp(scf::WhileOp loop) {
  auto compare = loop.getConditionOp().getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return false;
  const bool isLess = compare.getPredicate() == arith::CmpIPredicate::slt;
  if (!isLess && compare.getPredicate() != arith::CmpIPredicate::sgt)
    return false;
  auto counter = dyn_cast<BlockArgument>(isLess ? compare.getLhs() : compare.getRhs());
  if (!counter || counter.getOwner() != loop.getBeforeBody())
    return false;
  auto next = loop.getYieldOp().getOperand(counter.getArgNumber()).getDefiningOp<arith::AddIOp>();
  APInt step;
  return next &&
         (matchPattern(next.getRhs(), m_ConstantInt(&step)) || matchPattern(next.getLhs(), m_ConstantInt(&step))) &&
         step.isStrictlyPositive();
}

struct CountLoops : impl::CountLoopsBase<CountLoops> {
  void runOnOperation() override {
    // Upstream's rewrite requires that the condition passes each value once and in order.
    RewritePatternSet patterns(&getContext());
    scf::WhileOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    getOperation().walk<WalkOrder::PostOrder>([&](scf::WhileOp loop) { // inner loops first
      if (!countsUp(loop))
        return;
      rewriter.setInsertionPoint(loop);
      if (succeeded(scf::upliftWhileToForLoop(rewriter, loop)))
        ++loopsCounted;
    });
  }
};

} // namespace
} // namespace kiln
