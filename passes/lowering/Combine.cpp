#include "passes/lowering/Combine.h"

using namespace mlir;

namespace kiln {

Value identityValue(OpBuilder &b, Location loc, ocl::CombiningKind kind, Type type) {
  using ocl::CombiningKind;
  TypedAttr scalar;
  if (auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type))) {
    const llvm::fltSemantics &semantics = element.getFloatSemantics();
    llvm::APFloat number = llvm::APFloat::getZero(semantics);
    if (kind == CombiningKind::fmul)
      number = llvm::APFloat::getOne(semantics);
    else if (kind == CombiningKind::fmin || kind == CombiningKind::fmax)
      number = llvm::APFloat::getInf(semantics, /*Negative=*/kind == CombiningKind::fmax);
    scalar = FloatAttr::get(element, number);
  } else {
    Type integer = getElementTypeOrSelf(type);
    unsigned bits = integer.getIntOrFloatBitWidth();
    llvm::APInt number(bits, 0);
    if (kind == CombiningKind::mul)
      number = 1;
    else if (kind == CombiningKind::smin)
      number = llvm::APInt::getSignedMaxValue(bits);
    else if (kind == CombiningKind::smax)
      number = llvm::APInt::getSignedMinValue(bits);
    else if (kind == CombiningKind::umin || kind == CombiningKind::and_)
      number = llvm::APInt::getAllOnes(bits);
    scalar = IntegerAttr::get(integer, number);
  }
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(vector, Attribute(scalar)));
  return arith::ConstantOp::create(b, loc, scalar);
}

Value combine(OpBuilder &b, Location loc, ocl::CombiningKind kind, Value x, Value y) {
  switch (kind) {
  case ocl::CombiningKind::add:
    return arith::AddIOp::create(b, loc, x, y);
  case ocl::CombiningKind::mul:
    return arith::MulIOp::create(b, loc, x, y);
  case ocl::CombiningKind::smin:
    return arith::MinSIOp::create(b, loc, x, y);
  case ocl::CombiningKind::smax:
    return arith::MaxSIOp::create(b, loc, x, y);
  case ocl::CombiningKind::umin:
    return arith::MinUIOp::create(b, loc, x, y);
  case ocl::CombiningKind::umax:
    return arith::MaxUIOp::create(b, loc, x, y);
  case ocl::CombiningKind::and_:
    return arith::AndIOp::create(b, loc, x, y);
  case ocl::CombiningKind::or_:
    return arith::OrIOp::create(b, loc, x, y);
  case ocl::CombiningKind::xor_:
    return arith::XOrIOp::create(b, loc, x, y);
  case ocl::CombiningKind::fadd:
    return arith::AddFOp::create(b, loc, x, y);
  case ocl::CombiningKind::fmul:
    return arith::MulFOp::create(b, loc, x, y);
  case ocl::CombiningKind::fmin: // of a number and NaN: the number, as for fmin
    return arith::MinNumFOp::create(b, loc, x, y);
  case ocl::CombiningKind::fmax:
    return arith::MaxNumFOp::create(b, loc, x, y);
  }
  llvm_unreachable("all combiners are handled");
}

} // namespace kiln
