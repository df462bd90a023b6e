// Fuses products into sums where the program allows contraction, on CPUs that have such an instruction.
//
//   %p = arith.mulf %a, %b fastmath<contract>          ==>   %s = math.fma %a, %b, %c
//   %s = arith.addf %p, %c fastmath<contract>
//
// LLVM would fuse as well, but late: which products are fused, and so the last bit of a sum, would depend on what it
// has made of the code before. Kiln runs one kernel in several forms (the quick form, scalar and vector forms, variants
// for a local size), also within one launch, and the same input must have the same output in all of them. So the choice
// is made once, in the scalar body that all forms are made of, and the flag is removed from what is left.
//
// Legal because both operations have the flag: OpenCL C contracts expressions unless FP_CONTRACT is off.
//
// A product is fused if the sum is its only use; of two products the left one. Not handled: halves on processors that
// compute with them in single precision.
#include "dialects/ocl/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "passes/Pass.h"

using namespace mlir;

namespace kiln {
#include "passes/FuseMultiplyAdd.pass.inc"
namespace {

constexpr auto Contract = arith::FastMathFlags::contract;

struct FuseMultiplyAdd : impl::FuseMultiplyAddBase<FuseMultiplyAdd> {
  void runOnOperation() override {
    const ocl::TargetAttr target = ocl::cpuTargetOf(getOperation(), "cpu-fuse-multiply-add");
    if (!target)
      return signalPassFailure();
    hasFma_ = target.has(ocl::TargetFeature::Fma), hasHalves_ = target.has(ocl::TargetFeature::HalfArithmetic);
    SmallVector<Operation *> sums;
    getOperation()->walk([&](Operation *op) {
      if (isa<arith::AddFOp, arith::SubFOp>(op))
        sums.push_back(op);
    });
    for (Operation *sum : sums)
      if (mayContract(sum))
        fuse(sum);
    getOperation()->walk([](Operation *op) {
      if (mayContract(op))
        removeContract(op);
    });
  }

private:
  static bool mayContract(Operation *op) {
    auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
    const arith::FastMathFlagsAttr flags = fast ? fast.getFastMathFlagsAttr() : arith::FastMathFlagsAttr();
    return flags && bitEnumContainsAll(flags.getValue(), Contract);
  }

  static arith::FastMathFlags withoutContract(Operation *op) {
    return cast<arith::ArithFastMathInterface>(op).getFastMathFlagsAttr().getValue() & ~Contract;
  }

  static void removeContract(Operation *op) {
    auto fast = cast<arith::ArithFastMathInterface>(op);
    op->setAttr(fast.getFastMathAttrName(), arith::FastMathFlagsAttr::get(op->getContext(), withoutContract(op)));
  }

  bool hasInstruction(Type type) const {
    Type element = getElementTypeOrSelf(type);
    return element.isF16() ? hasHalves_ : hasFma_;
  }

  // The product that the sum may take the place of.
  static arith::MulFOp productOf(Value operand) {
    auto product = operand.getDefiningOp<arith::MulFOp>();
    return product && product->hasOneUse() && mayContract(product) ? product : arith::MulFOp();
  }

  void fuse(Operation *sum) {
    const bool isDifference = isa<arith::SubFOp>(sum);
    if (!hasInstruction(sum->getResult(0).getType()))
      return;
    const bool isLeft = bool(productOf(sum->getOperand(0)));
    arith::MulFOp product = productOf(sum->getOperand(isLeft ? 0 : 1));
    if (!product)
      return;
    OpBuilder b(sum);
    const Location loc = sum->getLoc();
    Value x = product.getLhs(), other = sum->getOperand(isLeft ? 1 : 0);
    if (isDifference) { // x * y - other, or other - x * y
      Value &negated = isLeft ? other : x;
      negated = arith::NegFOp::create(b, loc, negated);
    }
    Value fused = math::FmaOp::create(b, loc, x, product.getRhs(), other,
                                      arith::FastMathFlagsAttr::get(b.getContext(), withoutContract(sum)));
    sum->replaceAllUsesWith(ValueRange{fused});
    sum->erase();
    product->erase();
    ++sumsFused;
  }

  bool hasFma_ = false, hasHalves_ = false;
};

} // namespace
} // namespace kiln
