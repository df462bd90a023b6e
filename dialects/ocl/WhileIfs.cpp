// The structured form of a loop has the loop's body in the region of its condition:
//
//   %e = scf.while (%x = %start) {               %e, %unused = scf.while (%x = %start) {
//     %more = ...                                  %more = ...
//     %r = scf.if %more { A(%x); yield %a }   =>   scf.condition(%more) %none, %x
//          else { yield %none }                  } do {
//     scf.condition(%more) %r                    ^bb(%unused, %y):
//   } do {                                         A(%y)
//   ^bb(%y): scf.yield %y                          scf.yield %a
//   }                                            }
//
// Legal because A is the last code before the condition, and runs only if the loop goes on. LLVM 22's canonicalizer has
// this pattern, LLVM 21's does not.
#include "dialects/ocl/Patterns.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace kiln::ocl {
namespace {

struct MoveIfIntoBody : OpRewritePattern<scf::WhileOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::WhileOp loop, PatternRewriter &rewriter) const override {
    scf::ConditionOp condition = loop.getConditionOp();
    auto branch = dyn_cast_or_null<scf::IfOp>(condition->getPrevNode());
    if (!branch || branch.getCondition() != condition.getCondition() ||
        (branch.elseBlock() && !llvm::hasSingleElement(*branch.elseBlock())) ||
        llvm::any_of(branch->getUsers(), [&](Operation *user) { return user != condition; }))
      return failure();
    // The values of the condition's region that A uses become further values of the loop.
    SetVector<Value> used;
    getUsedValuesDefinedAbove(branch.getThenRegion(), used);
    used.remove_if([&](Value value) { return value.getParentRegion() != &loop.getBefore(); });
    SmallVector<Type> types(loop.getResultTypes());
    for (Value value : used)
      types.push_back(value.getType());

    auto made = scf::WhileOp::create(rewriter, loop.getLoc(), types, loop.getInits());
    made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    rewriter.inlineRegionBefore(loop.getBefore(), made.getBefore(), made.getBefore().end());
    rewriter.inlineRegionBefore(loop.getAfter(), made.getAfter(), made.getAfter().end());
    Block *body = made.getAfterBody(), *moved = branch.thenBlock();
    for (Value value : used) {
      Value argument = body->addArgument(value.getType(), value.getLoc());
      rewriter.replaceUsesWithIf(value, argument, [&](OpOperand &use) {
        return moved->getParent()->isAncestor(use.getOwner()->getParentRegion());
      });
    }
    SmallVector<Value> atExit;
    for (auto [value, argument] : llvm::zip(condition.getArgs(), body->getArguments()))
      if (auto result = dyn_cast<OpResult>(value); result && result.getOwner() == branch) {
        rewriter.replaceAllUsesWith(argument, branch.thenYield().getOperand(result.getResultNumber()));
        atExit.push_back(branch.elseYield().getOperand(result.getResultNumber()));
      } else {
        atExit.push_back(value);
      }
    llvm::append_range(atExit, used);
    rewriter.setInsertionPoint(condition);
    rewriter.replaceOpWithNewOp<scf::ConditionOp>(condition, condition.getCondition(), atExit);
    rewriter.eraseOp(branch.thenYield());
    rewriter.inlineBlockBefore(moved, body, body->begin());
    rewriter.eraseOp(branch);
    rewriter.replaceOp(loop, made.getResults().take_front(loop.getNumResults()));
    return success();
  }
};

} // namespace

void populateWhileIfs(RewritePatternSet &patterns) { patterns.add<MoveIfIntoBody>(patterns.getContext()); }

} // namespace kiln::ocl
