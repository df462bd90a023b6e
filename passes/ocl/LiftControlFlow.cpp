#include "passes/ocl/LiftControlFlow.h"
#include "dialects/ocl/UnrollHint.h"
#include "dialects/wg/Wg.h"
#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CFGToSCF.h"

using namespace mlir;

namespace kiln {
namespace {

/// Upstream's transformation, which drops the unroll hint of a loop's back edge.
class Lifting : public ControlFlowToSCFTransformation {
public:
  Lifting(Region &body, DominanceInfo &dominance) {
    for (Block &block : body)
      if (Attribute hint = block.getTerminator()->getDiscardableAttr(ocl::UnrollHintAttr))
        for (Block *target : block.getSuccessors())
          if (dominance.dominates(target, &block)) // the loop's head, not its exit
            hints_[target] = hint;
  }

  FailureOr<Operation *> createStructuredDoWhileLoopOp(OpBuilder &builder, Operation *replaced, ValueRange inits,
                                                       Value condition, ValueRange next, Region &&body) override {
    Attribute hint = hints_.lookup(&body.front()); // none for an irreducible loop, which gets a new head
    FailureOr<Operation *> loop = ControlFlowToSCFTransformation::createStructuredDoWhileLoopOp(
        builder, replaced, inits, condition, next, std::move(body));
    if (succeeded(loop) && hint)
      (*loop)->setDiscardableAttr(ocl::UnrollHintAttr, hint);
    return loop;
  }

  // The terminator of unreachable code.
  FailureOr<Operation *> createUnreachableTerminator(Location loc, OpBuilder &builder, Region &region) override {
    if (isa<wg::ParallelOp>(region.getParentOp()))
      return wg::YieldOp::create(builder, loc).getOperation();
    return ControlFlowToSCFTransformation::createUnreachableTerminator(loc, builder, region);
  }

private:
  DenseMap<Block *, Attribute> hints_; // by a loop's head
};

/// Copies the hint of an erased loop to its replacement, which was inserted before it.
struct UnrollHintListener : RewriterBase::Listener {
  void notifyOperationErased(Operation *op) override {
    if (Operation *made = isa<scf::WhileOp>(op) ? op->getPrevNode() : nullptr)
      if (isa<scf::WhileOp>(made) && !made->hasAttr(ocl::UnrollHintAttr))
        ocl::keepUnrollHint(op, made);
  }
};

} // namespace

RewriterBase::Listener *unrollHintListener() {
  static UnrollHintListener listener; // has no state
  return &listener;
}

bool liftControlFlow(Region &body, Operation *owner) {
  DominanceInfo dominance(owner);
  Lifting lifting(body, dominance);
  return succeeded(transformCFGToSCF(body, lifting, dominance)) && body.hasOneBlock();
}

} // namespace kiln
