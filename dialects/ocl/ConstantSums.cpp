// Upstream's canonicalizer joins two constants of nested sums, differences and products, and keeps the no-wrap flags
// that both operations have:
//
//   %1 = arith.subi %0, 7 overflow<nsw> : i32
//   %2 = arith.addi %1, -2147483642 overflow<nsw>   ==>   arith.addi %0, 2147483647 overflow<nsw>   // -7 - 2147483642
//
// The new constant has wrapped around, and the flag no longer holds: for %0 = 1 the first form is -2147483648. Here the
// outer operation loses such flags first, so that the joined one has none. Dropping a flag is always legal.
#include "dialects/ocl/Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace kiln::ocl {
namespace {

// The constant operand of a sum, a difference or a product.
std::optional<APInt> constantOperand(Operation *op) {
  APInt number;
  for (Value operand : op->getOperands())
    if (matchPattern(operand, m_ConstantInt(&number)))
      return number;
  return {};
}

// Returns true if a constant that upstream joins of these two is representable, signed.
bool fitSigned(const APInt &a, const APInt &other, bool isProduct) {
  bool product = false, sum = false, difference = false, opposite = false;
  if (isProduct) {
    (void)a.smul_ov(other, product);
    return !product;
  }
  (void)a.sadd_ov(other, sum), (void)a.ssub_ov(other, difference), (void)other.ssub_ov(a, opposite);
  return !sum && !difference && !opposite;
}

template <typename Op> struct DropFlagsOfJoined : OpRewritePattern<Op> {
  // Before upstream's patterns.
  explicit DropFlagsOfJoined(MLIRContext *context) : OpRewritePattern<Op>(context, /*benefit=*/10) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    using Flags = arith::IntegerOverflowFlags;
    const Flags flags = op.getOverflowFlags();
    const std::optional<APInt> outer = constantOperand(op);
    if (flags == Flags::none || !outer)
      return failure();
    for (Value operand : op->getOperands()) {
      Operation *inner = operand.getDefiningOp();
      if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp>(inner))
        continue;
      const std::optional<APInt> number = constantOperand(inner);
      const bool isProduct = isa<arith::MulIOp>(op);
      if (!number || isProduct != isa<arith::MulIOp>(inner))
        continue;
      Flags kept = flags;
      if (!fitSigned(*outer, *number, isProduct))
        kept = kept & ~Flags::nsw;
      bool wraps = false;
      if (isProduct)
        (void)outer->umul_ov(*number, wraps);
      else
        (void)outer->uadd_ov(*number, wraps);
      if (wraps || (!isProduct && !(isa<arith::AddIOp>(op) && isa<arith::AddIOp>(inner))))
        kept = kept & ~Flags::nuw;
      if (kept == flags)
        continue;
      rewriter.modifyOpInPlace(op, [&] { op.setOverflowFlags(kept); });
      return success();
    }
    return failure();
  }
};

} // namespace

void populateConstantSums(RewritePatternSet &patterns) {
  patterns.add<DropFlagsOfJoined<arith::AddIOp>, DropFlagsOfJoined<arith::SubIOp>, DropFlagsOfJoined<arith::MulIOp>>(
      patterns.getContext());
}

} // namespace kiln::ocl
