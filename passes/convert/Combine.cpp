#include "passes/convert/Combine.h"

using namespace mlir;

namespace kiln {

Value identityValue(OpBuilder &b, Location loc, ocl::Combiner combiner, Type type) {
  using ocl::Combiner;
  TypedAttr scalar;
  if (auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type))) {
    const llvm::fltSemantics &semantics = element.getFloatSemantics();
    llvm::APFloat number = llvm::APFloat::getZero(semantics);
    if (combiner == Combiner::fmul)
      number = llvm::APFloat::getOne(semantics);
    else if (combiner == Combiner::fmin || combiner == Combiner::fmax)
      number = llvm::APFloat::getInf(semantics, /*Negative=*/combiner == Combiner::fmax);
    scalar = FloatAttr::get(element, number);
  } else {
    Type integer = getElementTypeOrSelf(type);
    unsigned bits = integer.getIntOrFloatBitWidth();
    llvm::APInt number(bits, 0);
    if (combiner == Combiner::mul)
      number = 1;
    else if (combiner == Combiner::smin)
      number = llvm::APInt::getSignedMaxValue(bits);
    else if (combiner == Combiner::smax)
      number = llvm::APInt::getSignedMinValue(bits);
    else if (combiner == Combiner::umin || combiner == Combiner::and_)
      number = llvm::APInt::getAllOnes(bits);
    scalar = IntegerAttr::get(integer, number);
  }
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(vector, Attribute(scalar)));
  return arith::ConstantOp::create(b, loc, scalar);
}

Value combine(OpBuilder &b, Location loc, ocl::Combiner combiner, Value x, Value y) {
  switch (combiner) {
  case ocl::Combiner::add:
    return arith::AddIOp::create(b, loc, x, y);
  case ocl::Combiner::mul:
    return arith::MulIOp::create(b, loc, x, y);
  case ocl::Combiner::smin:
    return arith::MinSIOp::create(b, loc, x, y);
  case ocl::Combiner::smax:
    return arith::MaxSIOp::create(b, loc, x, y);
  case ocl::Combiner::umin:
    return arith::MinUIOp::create(b, loc, x, y);
  case ocl::Combiner::umax:
    return arith::MaxUIOp::create(b, loc, x, y);
  case ocl::Combiner::and_:
    return arith::AndIOp::create(b, loc, x, y);
  case ocl::Combiner::or_:
    return arith::OrIOp::create(b, loc, x, y);
  case ocl::Combiner::xor_:
    return arith::XOrIOp::create(b, loc, x, y);
  case ocl::Combiner::fadd:
    return arith::AddFOp::create(b, loc, x, y);
  case ocl::Combiner::fmul:
    return arith::MulFOp::create(b, loc, x, y);
  case ocl::Combiner::fmin: // of a number and NaN: the number, as for fmin
    return arith::MinNumFOp::create(b, loc, x, y);
  case ocl::Combiner::fmax:
    return arith::MaxNumFOp::create(b, loc, x, y);
  }
  llvm_unreachable("all combiners are handled");
}

} // namespace kiln
