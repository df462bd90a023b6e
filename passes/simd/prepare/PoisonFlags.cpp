#include "passes/simd/prepare/PoisonFlags.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace kiln {

void dropPoisonGeneratingFlags(Operation *op) {
  MLIRContext *context = op->getContext();
  if (auto address = dyn_cast<LLVM::GEPOp>(op)) {
    address.setNoWrapFlags(LLVM::GEPNoWrapFlags::none);
  } else if (isa<arith::ArithIntegerOverflowFlagsInterface>(op)) {
    op->setAttr("overflowFlags", arith::IntegerOverflowFlagsAttr::get(context, arith::IntegerOverflowFlags::none));
  } else if (op->hasAttr("isExact")) {
    op->removeAttr("isExact");
  } else if (auto fast = dyn_cast<arith::ArithFastMathInterface>(op); fast && fast.getFastMathFlagsAttr()) {
    const auto numbersOnly = arith::FastMathFlags::nnan | arith::FastMathFlags::ninf;
    op->setAttr(fast.getFastMathAttrName(),
                arith::FastMathFlagsAttr::get(context, fast.getFastMathFlagsAttr().getValue() & ~numbersOnly));
  }
}

} // namespace kiln
