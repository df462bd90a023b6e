// OpenCL.std's integer functions as `arith`: instruction selection matches the patterns, and they can be vectorised.
#include "dialects/import/ExtInteger.h"
#include "dialects/import/Bits.h"
#include "dialects/import/Std.h"
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

/// Returns the lowest number if x is negative, else the highest.
Value limitOf(Body &body, Value x) {
  Type type = x.getType();
  Value sign = body.make<arith::ShRSIOp>(x, body.constantInt(type, width(type) - 1));
  return body.make<arith::XOrIOp>(sign, body.constantInt(type, llvm::APInt::getSignedMaxValue(width(type))));
}

/// Returns the low and high half of a product.
std::pair<Value, Value> multiply(Body &body, Value x, Value y, bool isSigned) {
  if (isSigned) {
    auto product = arith::MulSIExtendedOp::create(body.builder, body.loc, x, y);
    return {product.getLow(), product.getHigh()};
  }
  auto product = arith::MulUIExtendedOp::create(body.builder, body.loc, x, y);
  return {product.getLow(), product.getHigh()};
}

/// Adds in double width and saturates if the upper half is more than the sign.
Value madSaturated(Body &body, Value x, Value y, Value z, bool isSigned) {
  Type type = x.getType();
  auto [low, high] = multiply(body, x, y, isSigned);
  Value sum = body.make<arith::AddIOp>(low, z);
  Value carry = body.make<arith::ExtUIOp>(type, body.make<arith::CmpIOp>(IntP::ult, sum, low));
  high = body.make<arith::AddIOp>(high, carry);
  if (!isSigned) {
    Value fits = body.make<arith::CmpIOp>(IntP::eq, high, body.constantInt(type, 0));
    return body.make<arith::SelectOp>(fits, sum, body.constantInt(type, llvm::APInt::getAllOnes(width(type))));
  }
  Value signBit = body.constantInt(type, width(type) - 1);
  high = body.make<arith::AddIOp>(high, body.make<arith::ShRSIOp>(z, signBit));
  Value fits = body.make<arith::CmpIOp>(IntP::eq, high, body.make<arith::ShRSIOp>(sum, signBit));
  return body.make<arith::SelectOp>(fits, sum, limitOf(body, high));
}

/// All operands have one integer type, which is also the result's.
template <bool isSigned> LogicalResult ofOneType(Body &body, const Instruction &ins) {
  Values in;
  Type result = body.resultType(ins);
  if (!result || !body.operands(ins, in, ins.args.size() - 2, 2))
    return failure();
  for (Value operand : in)
    if (!isInteger(result) || operand.getType() != result)
      return body.mismatch(ins);
  return body.define(ins, integerFunction(body, stdFunction(ins), isSigned, in));
}

LogicalResult upsample(Body &body, const Instruction &ins) {
  Values in;
  Type type = body.resultType(ins);
  if (!type || !body.operands(ins, in, 2, 2))
    return failure();
  Value high = in[0], low = in[1];
  if (!isInteger(type) || high.getType() != low.getType() || !isInteger(high.getType()) ||
      width(type) != 2 * width(high.getType()))
    return body.mismatch(ins);
  auto to = llvm::dyn_cast<VectorType>(type), from = llvm::dyn_cast<VectorType>(high.getType());
  if (!to != !from || (to && to.getShape() != from.getShape()))
    return body.mismatch(ins);
  Value upper =
      body.make<arith::ShLIOp>(body.make<arith::ExtUIOp>(type, high), body.constantInt(type, width(high.getType())));
  return body.define(ins, body.make<arith::OrIOp>(upper, body.make<arith::ExtUIOp>(type, low)));
}
} // namespace

Value integerFunction(Body &body, spv::Std fn, bool isSigned, ArrayRef<Value> in) {
  Type type = in[0].getType();
  Value x = in[0], y = in.size() > 1 ? in[1] : Value(), z = in.size() > 2 ? in[2] : Value();
  auto less = [&](Value a, Value b) { return body.make<arith::CmpIOp>(isSigned ? IntP::slt : IntP::ult, a, b); };
  auto min = [&](Value a, Value b) {
    return isSigned ? body.make<arith::MinSIOp>(a, b) : body.make<arith::MinUIOp>(a, b);
  };
  auto max = [&](Value a, Value b) {
    return isSigned ? body.make<arith::MaxSIOp>(a, b) : body.make<arith::MaxUIOp>(a, b);
  };
  auto shiftDown = [&](Value a) {
    Value one = body.constantInt(type, 1);
    return isSigned ? body.make<arith::ShRSIOp>(a, one) : body.make<arith::ShRUIOp>(a, one);
  };
  switch (fn) {
  case spv::Std::u_abs:
    return x;
  case spv::Std::s_abs:
    return body.make<arith::MaxSIOp>(
        x, body.make<arith::SubIOp>(body.constantInt(type, 0), x)); // the lowest number maps to itself
  case spv::Std::s_abs_diff:
  case spv::Std::u_abs_diff:
    return body.make<arith::SelectOp>(less(x, y), body.make<arith::SubIOp>(y, x), body.make<arith::SubIOp>(x, y));
  case spv::Std::s_add_sat:
  case spv::Std::u_add_sat:
    return addSaturated(body, x, y, isSigned);
  case spv::Std::u_sub_sat:
    return body.make<arith::SelectOp>(less(x, y), body.constantInt(type, 0), body.make<arith::SubIOp>(x, y));
  case spv::Std::s_sub_sat: {
    Value difference = body.make<arith::SubIOp>(x, y);
    Value overflows = body.make<arith::AndIOp>(body.make<arith::XOrIOp>(x, y), body.make<arith::XOrIOp>(x, difference));
    return body.make<arith::SelectOp>(less(overflows, body.constantInt(type, 0)), limitOf(body, x), difference);
  }
  case spv::Std::s_hadd: // without computing the sum, which may overflow
  case spv::Std::u_hadd:
    return body.make<arith::AddIOp>(body.make<arith::AndIOp>(x, y), shiftDown(body.make<arith::XOrIOp>(x, y)));
  case spv::Std::s_rhadd:
  case spv::Std::u_rhadd:
    return body.make<arith::SubIOp>(body.make<arith::OrIOp>(x, y), shiftDown(body.make<arith::XOrIOp>(x, y)));
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
    return body.make<math::CountLeadingZerosOp>(x);
  case spv::Std::ctz:
    return body.make<math::CountTrailingZerosOp>(x);
  case spv::Std::popcount:
    return body.make<math::CtPopOp>(x);
  case spv::Std::s_mul_hi:
  case spv::Std::u_mul_hi:
    return multiply(body, x, y, isSigned).second;
  case spv::Std::s_mad_hi:
  case spv::Std::u_mad_hi:
    return body.make<arith::AddIOp>(multiply(body, x, y, isSigned).second, z);
  case spv::Std::s_mad_sat:
  case spv::Std::u_mad_sat:
    return madSaturated(body, x, y, z, isSigned);
  case spv::Std::s_mad24: // undefined for operands of more than 24 bits
  case spv::Std::u_mad24:
    return body.make<arith::AddIOp>(body.make<arith::MulIOp>(x, y), z);
  case spv::Std::s_mul24:
  case spv::Std::u_mul24:
    return body.make<arith::MulIOp>(x, y);
  default: { // rotate: both counts are below the width, and 0 for a multiple of it
    Value left = mask(body, y, type);
    Value right = mask(body, body.make<arith::SubIOp>(body.constantInt(type, 0), y), type);
    return body.make<arith::OrIOp>(body.make<arith::ShLIOp>(x, left), body.make<arith::ShRUIOp>(x, right));
  }
  }
}

Value addSaturated(Body &body, Value x, Value y, bool isSigned) {
  Type type = x.getType();
  Value sum = body.make<arith::AddIOp>(x, y);
  if (!isSigned)
    return body.make<arith::SelectOp>(body.make<arith::CmpIOp>(IntP::ult, sum, x),
                                      body.constantInt(type, llvm::APInt::getAllOnes(width(type))), sum);
  Value overflows = body.make<arith::AndIOp>(body.make<arith::XOrIOp>(x, sum), body.make<arith::XOrIOp>(y, sum));
  return body.make<arith::SelectOp>(body.make<arith::CmpIOp>(IntP::slt, overflows, body.constantInt(type, 0)),
                                    limitOf(body, x), sum);
}

void addStdInteger(StdTable &table) {
  table.add({spv::Std::u_abs, spv::Std::u_abs_diff, spv::Std::u_add_sat, spv::Std::u_sub_sat, spv::Std::u_hadd,
             spv::Std::u_rhadd, spv::Std::u_clamp, spv::Std::u_mad_sat, spv::Std::u_max, spv::Std::u_min,
             spv::Std::u_mul_hi, spv::Std::u_mad_hi, spv::Std::u_mad24, spv::Std::u_mul24},
            ofOneType<false>);
  table.add({spv::Std::s_abs, spv::Std::s_abs_diff, spv::Std::s_add_sat, spv::Std::s_sub_sat, spv::Std::s_hadd,
             spv::Std::s_rhadd, spv::Std::s_clamp, spv::Std::clz, spv::Std::ctz, spv::Std::s_mad_hi,
             spv::Std::s_mad_sat, spv::Std::s_max, spv::Std::s_min, spv::Std::s_mul_hi, spv::Std::rotate,
             spv::Std::popcount, spv::Std::s_mad24, spv::Std::s_mul24},
            ofOneType<true>);
  table.add({spv::Std::s_upsample, spv::Std::u_upsample}, upsample);
}

} // namespace kiln::import
