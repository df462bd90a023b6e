// OpenCL.std's integer functions as `arith`: instruction selection matches the patterns, and they can be vectorised.
#include "dialects/import/BodyImporter.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace kiln::import {
namespace {
using IntP = arith::CmpIPredicate;
bool isInteger(Type type) {
  Type element = getElementTypeOrSelf(type);
  return llvm::isa<IntegerType>(element) && !element.isInteger(1);
}
unsigned width(Type type) { return getElementTypeOrSelf(type).getIntOrFloatBitWidth(); }
} // namespace

/// All operands have one integer type, which is also the result's except for upsample.
ImportResult BodyImporter::extInteger(const Instruction &ins, spv::Std fn) {
  bool isSigned = true;
  switch (fn) {
  case spv::Std::u_abs:
  case spv::Std::u_abs_diff:
  case spv::Std::u_add_sat:
  case spv::Std::u_sub_sat:
  case spv::Std::u_hadd:
  case spv::Std::u_rhadd:
  case spv::Std::u_clamp:
  case spv::Std::u_mad_sat:
  case spv::Std::u_max:
  case spv::Std::u_min:
  case spv::Std::u_mul_hi:
  case spv::Std::u_mad_hi:
  case spv::Std::u_mad24:
  case spv::Std::u_mul24:
  case spv::Std::u_upsample:
    isSigned = false;
    break;
  case spv::Std::s_abs:
  case spv::Std::s_abs_diff:
  case spv::Std::s_add_sat:
  case spv::Std::s_sub_sat:
  case spv::Std::s_hadd:
  case spv::Std::s_rhadd:
  case spv::Std::s_clamp:
  case spv::Std::clz:
  case spv::Std::ctz:
  case spv::Std::s_mad_hi:
  case spv::Std::s_mad_sat:
  case spv::Std::s_max:
  case spv::Std::s_min:
  case spv::Std::s_mul_hi:
  case spv::Std::rotate:
  case spv::Std::s_upsample:
  case spv::Std::popcount:
  case spv::Std::s_mad24:
  case spv::Std::s_mul24:
    break;
  default:
    return ImportResult::NotHandled;
  }
  Values in;
  Type result = resultType(ins);
  if (!result || !operands(ins, in, ins.args.size() - 2, 2))
    return ImportResult::Failure;
  if (fn == spv::Std::s_upsample || fn == spv::Std::u_upsample)
    return importResult(upsample(ins, in[0], in[1], result));
  for (Value operand : in)
    if (!isInteger(result) || operand.getType() != result)
      return importResult(mismatch(ins));
  return importResult(define(ins, integerFunction(fn, isSigned, in)));
}

Value BodyImporter::integerFunction(spv::Std fn, bool isSigned, ArrayRef<Value> in) {
  Type type = in[0].getType();
  Value x = in[0], y = in.size() > 1 ? in[1] : Value(), z = in.size() > 2 ? in[2] : Value();
  auto less = [&](Value a, Value b) { return make<arith::CmpIOp>(isSigned ? IntP::slt : IntP::ult, a, b); };
  auto min = [&](Value a, Value b) { return isSigned ? make<arith::MinSIOp>(a, b) : make<arith::MinUIOp>(a, b); };
  auto max = [&](Value a, Value b) { return isSigned ? make<arith::MaxSIOp>(a, b) : make<arith::MaxUIOp>(a, b); };
  auto shiftDown = [&](Value a) {
    Value one = constantInt(type, 1);
    return isSigned ? make<arith::ShRSIOp>(a, one) : make<arith::ShRUIOp>(a, one);
  };
  switch (fn) {
  case spv::Std::u_abs:
    return x;
  case spv::Std::s_abs:
    return make<arith::MaxSIOp>(x, make<arith::SubIOp>(constantInt(type, 0), x)); // the lowest number maps to itself
  case spv::Std::s_abs_diff:
  case spv::Std::u_abs_diff:
    return make<arith::SelectOp>(less(x, y), make<arith::SubIOp>(y, x), make<arith::SubIOp>(x, y));
  case spv::Std::s_add_sat:
  case spv::Std::u_add_sat:
    return addSaturated(x, y, isSigned);
  case spv::Std::u_sub_sat:
    return make<arith::SelectOp>(less(x, y), constantInt(type, 0), make<arith::SubIOp>(x, y));
  case spv::Std::s_sub_sat: {
    Value difference = make<arith::SubIOp>(x, y);
    Value overflows = make<arith::AndIOp>(make<arith::XOrIOp>(x, y), make<arith::XOrIOp>(x, difference));
    return make<arith::SelectOp>(less(overflows, constantInt(type, 0)), limitOf(x), difference);
  }
  case spv::Std::s_hadd: // without computing the sum, which may overflow
  case spv::Std::u_hadd:
    return make<arith::AddIOp>(make<arith::AndIOp>(x, y), shiftDown(make<arith::XOrIOp>(x, y)));
  case spv::Std::s_rhadd:
  case spv::Std::u_rhadd:
    return make<arith::SubIOp>(make<arith::OrIOp>(x, y), shiftDown(make<arith::XOrIOp>(x, y)));
  case spv::Std::s_clamp:
  case spv::Std::u_clamp:
    return min(max(x, y), z);
  case spv::Std::s_max:
  case spv::Std::u_max:
    return max(x, y);
  case spv::Std::s_min:
  case spv::Std::u_min:
    return min(x, y);
  case spv::Std::clz:
    return make<math::CountLeadingZerosOp>(x);
  case spv::Std::ctz:
    return make<math::CountTrailingZerosOp>(x);
  case spv::Std::popcount:
    return make<math::CtPopOp>(x);
  case spv::Std::s_mul_hi:
  case spv::Std::u_mul_hi:
    return multiply(x, y, isSigned).second;
  case spv::Std::s_mad_hi:
  case spv::Std::u_mad_hi:
    return make<arith::AddIOp>(multiply(x, y, isSigned).second, z);
  case spv::Std::s_mad_sat:
  case spv::Std::u_mad_sat:
    return madSaturated(x, y, z, isSigned);
  case spv::Std::s_mad24: // undefined for operands of more than 24 bits
  case spv::Std::u_mad24:
    return make<arith::AddIOp>(make<arith::MulIOp>(x, y), z);
  case spv::Std::s_mul24:
  case spv::Std::u_mul24:
    return make<arith::MulIOp>(x, y);
  default: { // rotate: both counts are below the width, and 0 for a multiple of it
    Value left = mask(y, type);
    Value right = mask(make<arith::SubIOp>(constantInt(type, 0), y), type);
    return make<arith::OrIOp>(make<arith::ShLIOp>(x, left), make<arith::ShRUIOp>(x, right));
  }
  }
}

/// Returns the lowest number if x is negative, else the highest.
Value BodyImporter::limitOf(Value x) {
  Type type = x.getType();
  Value sign = make<arith::ShRSIOp>(x, constantInt(type, width(type) - 1));
  return make<arith::XOrIOp>(sign, constantInt(type, llvm::APInt::getSignedMaxValue(width(type))));
}

Value BodyImporter::addSaturated(Value x, Value y, bool isSigned) {
  Type type = x.getType();
  Value sum = make<arith::AddIOp>(x, y);
  if (!isSigned)
    return make<arith::SelectOp>(make<arith::CmpIOp>(IntP::ult, sum, x),
                                 constantInt(type, llvm::APInt::getAllOnes(width(type))), sum);
  Value overflows = make<arith::AndIOp>(make<arith::XOrIOp>(x, sum), make<arith::XOrIOp>(y, sum));
  return make<arith::SelectOp>(make<arith::CmpIOp>(IntP::slt, overflows, constantInt(type, 0)), limitOf(x), sum);
}

/// Returns the low and high half of a product.
std::pair<Value, Value> BodyImporter::multiply(Value x, Value y, bool isSigned) {
  if (isSigned) {
    auto product = arith::MulSIExtendedOp::create(builder, loc, x, y);
    return {product.getLow(), product.getHigh()};
  }
  auto product = arith::MulUIExtendedOp::create(builder, loc, x, y);
  return {product.getLow(), product.getHigh()};
}

/// Adds in double width and saturates if the upper half is more than the sign.
Value BodyImporter::madSaturated(Value x, Value y, Value z, bool isSigned) {
  Type type = x.getType();
  auto [low, high] = multiply(x, y, isSigned);
  Value sum = make<arith::AddIOp>(low, z);
  Value carry = make<arith::ExtUIOp>(type, make<arith::CmpIOp>(IntP::ult, sum, low));
  high = make<arith::AddIOp>(high, carry);
  if (!isSigned) {
    Value fits = make<arith::CmpIOp>(IntP::eq, high, constantInt(type, 0));
    return make<arith::SelectOp>(fits, sum, constantInt(type, llvm::APInt::getAllOnes(width(type))));
  }
  Value signBit = constantInt(type, width(type) - 1);
  high = make<arith::AddIOp>(high, make<arith::ShRSIOp>(z, signBit));
  Value fits = make<arith::CmpIOp>(IntP::eq, high, make<arith::ShRSIOp>(sum, signBit));
  return make<arith::SelectOp>(fits, sum, limitOf(high));
}

LogicalResult BodyImporter::upsample(const Instruction &ins, Value high, Value low, Type type) {
  if (!isInteger(type) || high.getType() != low.getType() || !isInteger(high.getType()) ||
      width(type) != 2 * width(high.getType()))
    return mismatch(ins);
  auto to = llvm::dyn_cast<VectorType>(type), from = llvm::dyn_cast<VectorType>(high.getType());
  if (!to != !from || (to && to.getShape() != from.getShape()))
    return mismatch(ins);
  Value upper = make<arith::ShLIOp>(make<arith::ExtUIOp>(type, high), constantInt(type, width(high.getType())));
  return define(ins, make<arith::OrIOp>(upper, make<arith::ExtUIOp>(type, low)));
}

} // namespace kiln::import
