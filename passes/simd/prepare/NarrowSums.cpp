#include "passes/simd/prepare/NarrowSums.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace kiln {
namespace {

// x if `value` is x extended from `type`; else null.
Value extendedFrom(Value value, Type type) {
  Operation *op = value.getDefiningOp();
  return op && isa<arith::ExtSIOp, arith::ExtUIOp>(op) && op->getOperand(0).getType() == type ? op->getOperand(0)
                                                                                              : Value();
}

template <typename Sum> struct NarrowSum : OpRewritePattern<arith::TruncIOp> {
  using OpRewritePattern<arith::TruncIOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncIOp op, PatternRewriter &rewriter) const override {
    auto sum = op.getIn().getDefiningOp<Sum>();
    if (!sum || !(extendedFrom(sum.getLhs(), op.getType()) || extendedFrom(sum.getRhs(), op.getType())))
      return failure();
    auto narrow = [&](Value value) {
      Value own = extendedFrom(value, op.getType());
      return own ? own : arith::TruncIOp::create(rewriter, op.getLoc(), op.getType(), value).getResult();
    };
    Value left = narrow(sum.getLhs()), right = narrow(sum.getRhs());
    rewriter.replaceOpWithNewOp<Sum>(op, left, right);
    return success();
  }
};

} // namespace

void populateNarrowSums(RewritePatternSet &patterns) {
  patterns.add<NarrowSum<arith::AddIOp>, NarrowSum<arith::SubIOp>>(patterns.getContext());
}

} // namespace kiln
