#include "passes/simd/prepare/JoinRemainders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/analysis/Constants.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln {
namespace {

/// A quotient or a remainder: of what, by what, and how it is rounded.
struct Part {
  Value of;
  int64_t by = 0;
  bool isSigned = false; // towards zero; otherwise towards minus infinity, or both are the same

  bool operator==(const Part &) const = default;
};

// The constant second operand if it is a plausible divisor.
std::optional<int64_t> divisorOf(Operation *op) {
  const auto number = constantOf(op->getOperand(1));
  return number && *number > 1 ? number : std::nullopt;
}

// An unsigned division by a power of two has the low bits as its remainder, and so has a shift.
std::optional<Part> powerOfTwo(Value of, std::optional<int64_t> bits) {
  return bits && *bits > 0 && *bits < 62 ? std::optional(Part{of, int64_t(1) << *bits}) : std::nullopt;
}

std::optional<Part> quotientOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::ShRSIOp, arith::ShRUIOp>(op))
    return powerOfTwo(op->getOperand(0), constantOf(op->getOperand(1)));
  if (!isa_and_nonnull<arith::DivSIOp, arith::DivUIOp>(op) || !divisorOf(op))
    return {};
  return Part{op->getOperand(0), *divisorOf(op), isa<arith::DivSIOp>(op)};
}

std::optional<Part> remainderOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::AndIOp>(op)) {
    const auto mask = constantOf(op->getOperand(1));
    return mask && *mask > 0 && llvm::isMask_64(uint64_t(*mask))
               ? powerOfTwo(op->getOperand(0), llvm::countr_one(uint64_t(*mask)))
               : std::nullopt;
  }
  if (!isa_and_nonnull<arith::RemSIOp, arith::RemUIOp>(op) || !divisorOf(op))
    return {};
  return Part{op->getOperand(0), *divisorOf(op), isa<arith::RemSIOp>(op)};
}

// A quotient times its divisor.
std::optional<Part> multipleOf(Value value) {
  Operation *op = value.getDefiningOp();
  std::optional<int64_t> factor;
  if (isa_and_nonnull<arith::MulIOp>(op))
    factor = divisorOf(op);
  else if (isa_and_nonnull<arith::ShLIOp>(op))
    if (const auto shifted = powerOfTwo({}, constantOf(op->getOperand(1))))
      factor = shifted->by;
  const std::optional<Part> quotient = factor ? quotientOf(op->getOperand(0)) : std::nullopt;
  return quotient && quotient->by == *factor ? quotient : std::nullopt;
}

struct JoinRemainder : OpRewritePattern<arith::AddIOp> {
  using OpRewritePattern<arith::AddIOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::AddIOp op, PatternRewriter &rewriter) const override {
    return success(succeeded(join(op, op.getLhs(), op.getRhs(), rewriter)) ||
                   succeeded(join(op, op.getRhs(), op.getLhs(), rewriter)));
  }

private:
  // `sum` is the multiple, or a sum of it and something else.
  static LogicalResult join(arith::AddIOp op, Value sum, Value rest, PatternRewriter &rewriter) {
    const std::optional<Part> remainder = remainderOf(rest);
    if (!remainder)
      return failure();
    if (multipleOf(sum) == remainder) {
      rewriter.replaceOp(op, remainder->of);
      return success();
    }
    auto outer = sum.getDefiningOp<arith::AddIOp>();
    if (!outer)
      return failure();
    const bool isLeft = multipleOf(outer.getLhs()) == remainder;
    if (!isLeft && multipleOf(outer.getRhs()) != remainder)
      return failure();
    rewriter.replaceOpWithNewOp<arith::AddIOp>(op, isLeft ? outer.getRhs() : outer.getLhs(), remainder->of);
    return success();
  }
};

} // namespace

void populateJoinRemainders(RewritePatternSet &patterns) { patterns.add<JoinRemainder>(patterns.getContext()); }

} // namespace kiln
