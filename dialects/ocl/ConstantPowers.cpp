// A power with the exponent 2 is a product, which is exact to half a unit in the last place:
//
//   %y = ocl.math pow(%x, %two)    ==>    %y = arith.mulf %x, %x
//
// Programs write squares like this. Legal because a product has the power's value for zeros, infinities and NaN as
// well. powr is not handled: powr of a negative number is NaN.
#include "dialects/ocl/Ocl.h"
#include "dialects/ocl/Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace kiln::ocl {
namespace {

bool isTwo(Value exponent) {
  APFloat number(0.0f);
  if (matchPattern(exponent, m_ConstantFloat(&number)))
    return number.isExactlyValue(2.0);
  APInt integer;
  return matchPattern(exponent, m_ConstantInt(&integer)) && integer == 2;
}

struct SquareAsProduct : OpRewritePattern<MathOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MathOp power, PatternRewriter &rewriter) const override {
    const MathFn fn = power.getFn();
    if ((fn != MathFn::pow && fn != MathFn::pown) || !isTwo(power->getOperand(1)))
      return failure();
    rewriter.replaceOpWithNewOp<arith::MulFOp>(power, power->getOperand(0), power->getOperand(0));
    return success();
  }
};

} // namespace

void populateConstantPowers(RewritePatternSet &patterns) { patterns.add<SquareAsProduct>(patterns.getContext()); }

} // namespace kiln::ocl
