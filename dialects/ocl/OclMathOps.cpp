// Verifiers of math functions and conversions.
#include "dialects/ocl/Ocl.h"

using namespace mlir;

namespace kiln::ocl {
namespace {
int64_t lanes(Type type) {
  auto vector = llvm::dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

unsigned operandCount(MathFn fn) {
  switch (fn) {
  case MathFn::atan2:
  case MathFn::atan2pi:
  case MathFn::fmod:
  case MathFn::hypot:
  case MathFn::ldexp:
  case MathFn::pow:
  case MathFn::pown:
  case MathFn::powr:
  case MathFn::remainder:
  case MathFn::rootn:
    return 2;
  default:
    return 1;
  }
}
} // namespace

LogicalResult MathOp::verify() {
  MathFn fn = getFn();
  if (getNumOperands() != operandCount(fn))
    return emitOpError() << stringifyMathFn(fn) << " takes " << operandCount(fn) << " operands, not "
                         << getNumOperands();
  bool secondIsInt = fn == MathFn::ldexp || fn == MathFn::pown || fn == MathFn::rootn;
  for (auto [index, operand] : llvm::enumerate(getOperands())) {
    bool wantInt = index == 1 && secondIsInt;
    if (llvm::isa<IntegerType>(getElementTypeOrSelf(operand.getType())) != wantInt)
      return emitOpError() << "operand " << index << " of " << stringifyMathFn(fn) << " must be "
                           << (wantInt ? "an integer" : "floating-point");
    if (lanes(operand.getType()) != lanes(getType()))
      return emitOpError("operands and result must have equally many components");
    if (!wantInt && operand.getType() != getType())
      return emitOpError("floating-point operands must have the result's type");
  }
  return success();
}

LogicalResult ConvertOp::verify() {
  if (lanes(getValue().getType()) != lanes(getType()))
    return emitOpError("operand and result must have equally many components");
  if (getSaturate() && !llvm::isa<IntegerType>(getElementTypeOrSelf(getType())))
    return emitOpError("saturates to integers only");
  return success();
}

} // namespace kiln::ocl
