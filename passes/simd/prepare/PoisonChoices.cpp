#include "passes/simd/prepare/PoisonChoices.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/simd/prepare/PoisonFlags.h"

using namespace mlir;

namespace kiln {
namespace {

bool isPoison(Value value) { return value.getDefiningOp<ub::PoisonOp>() != nullptr; }

// The side that is not poison; null if neither or both are.
Value otherThanPoison(Value a, Value b) {
  if (isPoison(a) == isPoison(b))
    return {};
  return isPoison(a) ? b : a;
}

struct SelectOfPoison : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SelectOp select, PatternRewriter &rewriter) const override {
    Value other = otherThanPoison(select.getTrueValue(), select.getFalseValue());
    if (!other)
      return failure();
    rewriter.replaceOp(select, other);
    return success();
  }
};

struct BranchOfPoison : OpRewritePattern<scf::IfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(scf::IfOp branch, PatternRewriter &rewriter) const override {
    bool hasChanged = false;
    for (OpResult result : branch->getResults()) {
      if (result.use_empty())
        continue;
      const unsigned number = result.getResultNumber();
      Value other = otherThanPoison(branch.thenYield().getOperand(number), branch.elseYield().getOperand(number));
      if (!other || !isAvailableBefore(branch, other, rewriter))
        continue;
      rewriter.replaceAllUsesWith(result, other);
      hasChanged = true;
    }
    return success(hasChanged);
  }

private:
  // Returns true if the value is defined before the branch, where an operation of its block is moved to if possible.
  static bool isAvailableBefore(scf::IfOp branch, Value value, PatternRewriter &rewriter) {
    auto isBefore = [&](Value operand) { return !branch->isAncestor(operand.getParentRegion()->getParentOp()); };
    if (isBefore(value))
      return true;
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumRegions() || !isPure(op) || !llvm::all_of(op->getOperands(), isBefore))
      return false;
    rewriter.moveOpBefore(op, branch);
    dropPoisonGeneratingFlags(op); // they hold for the work-items that took the branch
    return true;
  }
};

} // namespace

void populatePoisonChoices(RewritePatternSet &patterns) {
  patterns.add<SelectOfPoison, BranchOfPoison>(patterns.getContext());
}

} // namespace kiln
