// OpenCL.std's math functions. Functions with an error bound become `ocl.math`; exact functions are expanded to `math`
// or `arith`, which can be vectorised.
#include "dialects/import/ExtMath.h"
#include "dialects/import/Arithmetic.h"
#include "dialects/import/Relations.h"
#include "dialects/import/Std.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace kiln::import {
namespace {
using FloatP = arith::CmpFPredicate;
using IntP = arith::CmpIPredicate;

bool isFloat(Type type) { return llvm::isa<FloatType>(getElementTypeOrSelf(type)); }
bool isInt32(Type type) { return getElementTypeOrSelf(type).isInteger(32); }
bool sameLanes(Type a, Type b) {
  auto va = llvm::dyn_cast<VectorType>(a), vb = llvm::dyn_cast<VectorType>(b);
  return va && vb ? va.getShape() == vb.getShape() : !va && !vb;
}

LogicalResult exactUnary(Body &body, const Instruction &ins) {
  const spv::Std fn = stdFunction(ins);
  return floatUnary(body, ins, [&](Value x) -> Value {
    switch (fn) {
    case spv::Std::ceil:
      return body.make<math::CeilOp>(x);
    case spv::Std::fabs:
      return body.make<math::AbsFOp>(x);
    case spv::Std::floor:
      return body.make<math::FloorOp>(x);
    case spv::Std::rint:
      return body.make<math::RoundEvenOp>(x);
    case spv::Std::round:
      return body.make<math::RoundOp>(x);
    case spv::Std::trunc:
      return body.make<math::TruncOp>(x);
    default:
      return body.make<arith::DivFOp>(body.constantFloat(x.getType(), 1), x,
                                      fn == spv::Std::native_recip ? arith::FastMathFlags::arcp
                                                                   : arith::FastMathFlags::none);
    }
  });
}

/// x - y is NaN for a NaN, and exactly 0 where x == y.
LogicalResult fdim(Body &body, const Instruction &ins) {
  return extFloatBinary(body, ins, [&](Value x, Value y) {
    Value isBelow = body.make<arith::CmpFOp>(FloatP::OLE, x, y);
    return body.make<arith::SelectOp>(isBelow, body.constantFloat(x.getType(), 0), body.make<arith::SubFOp>(x, y));
  });
}

LogicalResult byMagnitude(Body &body, const Instruction &ins) {
  const spv::Std fn = stdFunction(ins);
  return extFloatBinary(body, ins, [&](Value x, Value y) {
    bool isMax = fn == spv::Std::maxmag;
    Value ax = body.make<math::AbsFOp>(x), ay = body.make<math::AbsFOp>(y);
    FloatP wins = isMax ? FloatP::OGT : FloatP::OLT;
    Value tie = isMax ? body.make<arith::MaxNumFOp>(x, y) : body.make<arith::MinNumFOp>(x, y);
    Value y_or_tie = body.make<arith::SelectOp>(body.make<arith::CmpFOp>(wins, ay, ax), y, tie);
    return body.make<arith::SelectOp>(body.make<arith::CmpFOp>(wins, ax, ay), x, y_or_tie);
  });
}

LogicalResult divide(Body &body, const Instruction &ins) {
  const spv::Std fn = stdFunction(ins);
  return extFloatBinary(body, ins, [&](Value x, Value y) {
    return body.make<arith::DivFOp>(
        x, y, fn == spv::Std::native_divide ? arith::FastMathFlags::arcp : arith::FastMathFlags::none);
  });
}

/// One rounding or two, even if other operations must not be contracted.
LogicalResult mad(Body &body, const Instruction &ins) {
  return floatTernary(body, ins, [&](Value a, Value b, Value c) {
    auto flags = body.fastMath(ins) | arith::FastMathFlags::contract;
    return body.make<arith::AddFOp>(body.make<arith::MulFOp>(a, b, flags), c, flags);
  });
}

LogicalResult quietNaN(Body &body, const Instruction &ins) {
  Values in;
  Type type = body.resultType(ins);
  if (!type || !body.operands(ins, in, 1, 2))
    return failure();
  if (!isFloat(type) || in[0].getType() != bitsType(body, type))
    return body.mismatch(ins);
  llvm::APInt quiet =
      llvm::APFloat::getQNaN(llvm::cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics()).bitcastToAPInt();
  Value bits = body.make<arith::OrIOp>(in[0], body.constantInt(in[0].getType(), quiet));
  return body.define(ins, body.make<arith::BitcastOp>(type, bits));
}

LogicalResult mathLeaf(Body &body, const Instruction &ins, ocl::MathFn fn, ocl::MathPrecision precision) {
  Values in;
  Type type = body.resultType(ins);
  if (!type || !body.operands(ins, in, ins.args.size() - 2, 2))
    return failure();
  bool secondIsInt = fn == ocl::MathFn::ldexp || fn == ocl::MathFn::pown || fn == ocl::MathFn::rootn;
  Type number = in[0].getType();
  if (!isFloat(number) || type != number)
    return body.mismatch(ins);
  if (in.size() == 2) {
    if (secondIsInt ? !isInt32(in[1].getType()) || !sameLanes(in[1].getType(), number) : in[1].getType() != number)
      return body.mismatch(ins);
  }
  return body.define(ins, mathCall(body, fn, in, precision, type));
}

/// Returns x - floor(x), limited to the largest number below 1, and floor(x). For infinities and zeros the first is a
/// zero with x's sign (OpenCL C 7.5.1).
std::pair<Value, Value> fract(Body &body, Value x) {
  Type type = x.getType();
  const llvm::fltSemantics &semantics = llvm::cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics();
  llvm::APFloat belowOne = llvm::APFloat::getOne(semantics);
  belowOne.next(/*nextDown=*/true);
  Value limit = body.make<arith::BitcastOp>(type, body.constantInt(bitsType(body, type), belowOne.bitcastToAPInt()));
  Value whole = body.make<math::FloorOp>(x);
  Value rest = body.make<arith::SubFOp>(x, whole);
  Value isOne = body.make<arith::CmpFOp>(FloatP::OGE, rest, body.constantFloat(type, 1));
  rest = body.make<arith::SelectOp>(isOne, limit, rest);
  Value zero = body.make<math::CopySignOp>(body.constantFloat(type, 0), x);
  Value isZero = body.make<arith::CmpFOp>(FloatP::OEQ, x, body.constantFloat(type, 0));
  Value keepsSign = body.make<arith::OrIOp>(classify(body, spv::Op::IsInf, x), isZero);
  return {body.make<arith::SelectOp>(keepsSign, zero, rest), whole};
}

/// Extracts a mantissa in [1/2, 1) and an exponent from the number's bits. Normalises subnormal numbers first.
std::pair<Value, Value> frexp(Body &body, Value x, Type exponentType) {
  Type type = x.getType(), bits = bitsType(body, type);
  const llvm::fltSemantics &semantics = llvm::cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  unsigned mantissa = llvm::APFloat::semanticsPrecision(semantics) - 1;
  uint64_t bias = static_cast<uint64_t>(llvm::APFloat::semanticsMaxExponent(semantics));
  llvm::APInt exponentMask = llvm::APInt::getBitsSet(width, mantissa, width - 1);

  Value scale =
      body.make<arith::BitcastOp>(type, body.constantInt(bits, llvm::APInt(width, bias + mantissa + 1) << mantissa));
  Value smallest = body.make<arith::BitcastOp>(
      type, body.constantInt(bits, llvm::APFloat::getSmallestNormalized(semantics).bitcastToAPInt()));
  Value isSmall = body.make<arith::CmpFOp>(FloatP::OLT, body.make<math::AbsFOp>(x), smallest);
  Value normal = body.make<arith::SelectOp>(isSmall, body.make<arith::MulFOp>(x, scale), x);
  Value pattern = body.make<arith::BitcastOp>(bits, normal);
  Value biased = body.make<arith::ShRUIOp>(body.make<arith::AndIOp>(pattern, body.constantInt(bits, exponentMask)),
                                           body.constantInt(bits, mantissa));
  Value shift = body.make<arith::SelectOp>(isSmall, body.constantInt(bits, bias - 1 + mantissa + 1),
                                           body.constantInt(bits, bias - 1));
  Value exponent = body.make<arith::SubIOp>(biased, shift);
  Value half = body.make<arith::OrIOp>(body.make<arith::AndIOp>(pattern, body.constantInt(bits, ~exponentMask)),
                                       body.constantInt(bits, llvm::APInt(width, bias - 1) << mantissa));
  Value fraction = body.make<arith::BitcastOp>(type, half);

  Value isOrdinary = body.make<arith::AndIOp>(classify(body, spv::Op::IsFinite, x),
                                              body.make<arith::CmpFOp>(FloatP::UNE, x, body.constantFloat(type, 0)));
  exponent = body.make<arith::SelectOp>(isOrdinary, exponent, body.constantInt(bits, 0));
  Value asInt = width < 32   ? body.make<arith::ExtSIOp>(exponentType, exponent)
                : width > 32 ? body.make<arith::TruncIOp>(exponentType, exponent)
                             : exponent;
  return {body.make<arith::SelectOp>(isOrdinary, fraction, x), asInt};
}

/// The gamma function is negative if x < 0 and floor(x) is odd: between -1 and 0, -3 and -2, ...
Value gammaSign(Body &body, Value x, Type type) {
  Type number = x.getType();
  Value half = body.make<arith::MulFOp>(body.make<math::FloorOp>(x), body.constantFloat(number, 0.5));
  Value isOdd = body.make<arith::CmpFOp>(FloatP::ONE, half, body.make<math::FloorOp>(half));
  Value isNegative = body.make<arith::CmpFOp>(FloatP::OLT, x, body.constantFloat(number, 0));
  return body.make<arith::SelectOp>(body.make<arith::AndIOp>(isOdd, isNegative),
                                    body.constantInt(type, llvm::APInt::getAllOnes(32)), body.constantInt(type, 1));
}

/// Computes the low seven bits of the quotient from the remainder of a division by 128 y, which is exact: it differs
/// from the remainder by y times a number below 129. If 128 y overflows, the quotient is below 129 anyway.
std::pair<Value, Value> remquo(Body &body, Value x, Value y, Type quotientType) {
  Type type = x.getType();
  Value remainder = mathCall(body, ocl::MathFn::remainder, {x, y});
  Value wide = mathCall(body, ocl::MathFn::fmod, {x, body.make<arith::MulFOp>(y, body.constantFloat(type, 128))});
  // Two divisions, because the difference of the remainders may be infinite.
  Value ratio = body.make<arith::SubFOp>(body.make<arith::DivFOp>(wide, y), body.make<arith::DivFOp>(remainder, y));
  Value whole =
      ocl::ConvertOp::create(body.builder, body.loc, quotientType, ocl::Rounding::rte, ratio, /*saturate=*/true,
                             /*unsigned_in=*/false, /*unsigned_out=*/false);
  Value zero = body.constantInt(quotientType, 0);
  Value isNegative = body.make<arith::CmpIOp>(IntP::slt, whole, zero);
  Value negated = body.make<arith::SubIOp>(zero, whole);
  Value magnitude = body.make<arith::AndIOp>(body.make<arith::SelectOp>(isNegative, negated, whole),
                                             body.constantInt(quotientType, 127));
  return {remainder, body.make<arith::SelectOp>(isNegative, body.make<arith::SubIOp>(zero, magnitude), magnitude)};
}

/// Functions that store a second result through a pointer, their last operand.
LogicalResult mathWithPointer(Body &body, const Instruction &ins, spv::Std fn) {
  size_t numbers = fn == spv::Std::remquo ? 2 : 1;
  bool storesInt = fn == spv::Std::remquo || fn == spv::Std::frexp || fn == spv::Std::lgamma_r;
  Values in;
  Type type = body.resultType(ins);
  if (!type || !body.operands(ins, in, numbers + 1, 2))
    return failure();
  Value x = in[0], pointer = in[numbers];
  const TypeInfo *pointee = body.module.memoryType(body.module.pointeeOf(ins.args[2 + numbers]), ins);
  if (!pointee)
    return failure();
  if (!isFloat(type) || x.getType() != type || (numbers == 2 && in[1].getType() != type) ||
      !llvm::isa<LLVM::LLVMPointerType>(pointer.getType()) ||
      (storesInt ? !isInt32(pointee->type) || !sameLanes(pointee->type, type) : pointee->type != type))
    return body.mismatch(ins);

  std::pair<Value, Value> results; // the returned value, the stored value
  switch (fn) {
  case spv::Std::sincos:
    results = {mathCall(body, ocl::MathFn::sin, {x}), mathCall(body, ocl::MathFn::cos, {x})};
    break;
  case spv::Std::fract:
    results = fract(body, x);
    break;
  case spv::Std::modf: {
    Value whole = body.make<math::TruncOp>(x);
    Value isInfinite = classify(body, spv::Op::IsInf, x);
    Value rest =
        body.make<arith::SelectOp>(isInfinite, body.constantFloat(type, 0), body.make<arith::SubFOp>(x, whole));
    results = {body.make<math::CopySignOp>(rest, x), whole};
    break;
  }
  case spv::Std::frexp:
    results = frexp(body, x, pointee->type);
    break;
  case spv::Std::lgamma_r:
    results = {mathCall(body, ocl::MathFn::lgamma, {x}), gammaSign(body, x, pointee->type)};
    break;
  default:
    results = remquo(body, x, in[1], pointee->type);
    break;
  }
  LLVM::StoreOp::create(body.builder, body.loc, results.second, pointer, static_cast<unsigned>(pointee->align));
  return body.define(ins, results.first);
}

LogicalResult exponentOf(Body &body, const Instruction &ins) {
  Values in;
  Type type = body.resultType(ins);
  if (!type || !body.operands(ins, in, 1, 2))
    return failure();
  Value x = in[0];
  if (!isFloat(x.getType()) || !isInt32(type) || !sameLanes(type, x.getType()))
    return body.mismatch(ins);
  Value exponent = body.make<arith::SubIOp>(frexp(body, x, type).second, body.constantInt(type, 1));
  // FP_ILOGB0 for zero, FP_ILOGBNAN for NaN and infinity.
  Value isZero = body.make<arith::CmpFOp>(FloatP::OEQ, x, body.constantFloat(x.getType(), 0));
  exponent = body.make<arith::SelectOp>(isZero, body.constantInt(type, llvm::APInt::getSignedMinValue(32)), exponent);
  Value largest = body.constantInt(type, llvm::APInt::getSignedMaxValue(32));
  return body.define(ins, body.make<arith::SelectOp>(classify(body, spv::Op::IsFinite, x), exponent, largest));
}

Value logb(Body &body, Value x) {
  Type type = x.getType(), ints = body.builder.getI32Type();
  if (auto vector = llvm::dyn_cast<VectorType>(type))
    ints = vector.clone(ints);
  Value exponent = body.make<arith::SubIOp>(frexp(body, x, ints).second, body.constantInt(ints, 1));
  Value result = body.make<arith::SIToFPOp>(type, exponent);
  Value isZero = body.make<arith::CmpFOp>(FloatP::OEQ, x, body.constantFloat(type, 0));
  result =
      body.make<arith::SelectOp>(isZero, body.constantFloat(type, -std::numeric_limits<double>::infinity()), result);
  return body.make<arith::SelectOp>(classify(body, spv::Op::IsFinite, x), result,
                                    body.make<arith::MulFOp>(x, x)); // infinite or NaN
}

/// The neighbour of x towards y differs by one in the bit pattern; zero's is the smallest number with y's sign.
Value nextAfter(Body &body, Value x, Value y) {
  Type type = x.getType(), bits = bitsType(body, type);
  Value pattern = body.make<arith::BitcastOp>(bits, x), one = body.constantInt(bits, 1);
  Value zero = body.constantFloat(type, 0);
  Value grows = body.make<arith::CmpIOp>(IntP::eq, body.make<arith::CmpFOp>(FloatP::OLT, x, y),
                                         body.make<arith::CmpFOp>(FloatP::OGT, x, zero)); // away from zero
  Value step = body.make<arith::SelectOp>(
      grows, one, body.constantInt(bits, llvm::APInt::getAllOnes(getElementTypeOrSelf(type).getIntOrFloatBitWidth())));
  Value neighbour = body.make<arith::BitcastOp>(type, body.make<arith::AddIOp>(pattern, step));
  Value smallest = body.make<math::CopySignOp>(body.make<arith::BitcastOp>(type, one), y);
  Value result = body.make<arith::SelectOp>(body.make<arith::CmpFOp>(FloatP::OEQ, x, zero), smallest, neighbour);
  result = body.make<arith::SelectOp>(body.make<arith::CmpFOp>(FloatP::OEQ, x, y), y, result);
  return body.make<arith::SelectOp>(body.make<arith::CmpFOp>(FloatP::UNO, x, y), body.make<arith::AddFOp>(x, y),
                                    result);
}

template <ocl::MathFn fn, ocl::MathPrecision precision> LogicalResult leaf(Body &body, const Instruction &ins) {
  return mathLeaf(body, ins, fn, precision);
}

void addLeaves(StdTable &table) {
#define KILN_LEAF(name) table.add(spv::Std::name, leaf<ocl::MathFn::name, ocl::MathPrecision::full>);
#define KILN_HALF(name) table.add(spv::Std::half_##name, leaf<ocl::MathFn::name, ocl::MathPrecision::half>);
#define KILN_NATIVE(name) table.add(spv::Std::native_##name, leaf<ocl::MathFn::name, ocl::MathPrecision::native>);
  // clang-format off: a table
  KILN_LEAF(acos) KILN_LEAF(acosh) KILN_LEAF(acospi) KILN_LEAF(asin) KILN_LEAF(asinh) KILN_LEAF(asinpi)
  KILN_LEAF(atan) KILN_LEAF(atan2) KILN_LEAF(atanh) KILN_LEAF(atanpi) KILN_LEAF(atan2pi) KILN_LEAF(cbrt)
  KILN_LEAF(cos) KILN_LEAF(cosh) KILN_LEAF(cospi) KILN_LEAF(erf) KILN_LEAF(erfc) KILN_LEAF(exp) KILN_LEAF(exp2)
  KILN_LEAF(exp10) KILN_LEAF(expm1) KILN_LEAF(fmod) KILN_LEAF(hypot) KILN_LEAF(ldexp) KILN_LEAF(lgamma)
  KILN_LEAF(log) KILN_LEAF(log2) KILN_LEAF(log10) KILN_LEAF(log1p) KILN_LEAF(pow) KILN_LEAF(pown) KILN_LEAF(powr)
  KILN_LEAF(remainder) KILN_LEAF(rootn) KILN_LEAF(rsqrt) KILN_LEAF(sin) KILN_LEAF(sinh) KILN_LEAF(sinpi)
  KILN_LEAF(sqrt) KILN_LEAF(tan) KILN_LEAF(tanh) KILN_LEAF(tanpi) KILN_LEAF(tgamma)
  KILN_HALF(cos) KILN_HALF(exp) KILN_HALF(exp2) KILN_HALF(exp10) KILN_HALF(log) KILN_HALF(log2) KILN_HALF(log10)
  KILN_HALF(powr) KILN_HALF(rsqrt) KILN_HALF(sin) KILN_HALF(sqrt) KILN_HALF(tan)
  KILN_NATIVE(cos) KILN_NATIVE(exp) KILN_NATIVE(exp2) KILN_NATIVE(exp10) KILN_NATIVE(log) KILN_NATIVE(log2)
  KILN_NATIVE(log10) KILN_NATIVE(powr) KILN_NATIVE(rsqrt) KILN_NATIVE(sin) KILN_NATIVE(sqrt) KILN_NATIVE(tan)
  // clang-format on
#undef KILN_LEAF
#undef KILN_HALF
#undef KILN_NATIVE
}
} // namespace

/// Returns the integer type with a float type's width and shape.
Type bitsType(Body &body, Type type) {
  Type element = body.builder.getIntegerType(getElementTypeOrSelf(type).getIntOrFloatBitWidth());
  auto vector = llvm::dyn_cast<VectorType>(type);
  return vector ? Type(VectorType::get(vector.getShape(), element)) : element;
}

LogicalResult floatUnary(Body &body, const Instruction &ins, llvm::function_ref<Value(Value)> build) {
  Values in;
  if (!body.operands(ins, in, 1, 2))
    return failure();
  if (!isFloat(in[0].getType()))
    return body.mismatch(ins);
  return body.define(ins, build(in[0]));
}

LogicalResult extFloatBinary(Body &body, const Instruction &ins, llvm::function_ref<Value(Value, Value)> build) {
  Values in;
  if (!body.operands(ins, in, 2, 2))
    return failure();
  if (!isFloat(in[0].getType()) || in[1].getType() != in[0].getType())
    return body.mismatch(ins);
  return body.define(ins, build(in[0], in[1]));
}

LogicalResult floatTernary(Body &body, const Instruction &ins, llvm::function_ref<Value(Value, Value, Value)> build) {
  Values in;
  Type type = body.resultType(ins);
  if (!type || !body.operands(ins, in, 3, 2))
    return failure();
  for (Value operand : in)
    if (!isFloat(type) || operand.getType() != type)
      return body.mismatch(ins);
  return body.define(ins, build(in[0], in[1], in[2]));
}

void addStdMath(StdTable &table) {
  addLeaves(table);
  table.add({spv::Std::ceil, spv::Std::fabs, spv::Std::floor, spv::Std::rint, spv::Std::round, spv::Std::trunc,
             spv::Std::half_recip, spv::Std::native_recip},
            exactUnary);
  table.add(spv::Std::copysign, [](Body &body, const Instruction &ins) {
    return extFloatBinary(body, ins, [&](Value x, Value y) { return body.make<math::CopySignOp>(x, y); });
  });
  table.add(spv::Std::ilogb, exponentOf);
  table.add(spv::Std::logb, [](Body &body, const Instruction &ins) {
    return floatUnary(body, ins, [&](Value x) { return logb(body, x); });
  });
  table.add(spv::Std::nextafter, [](Body &body, const Instruction &ins) {
    return extFloatBinary(body, ins, [&](Value x, Value y) { return nextAfter(body, x, y); });
  });
  table.add(spv::Std::fdim, fdim);
  table.add(spv::Std::fmax, [](Body &body, const Instruction &ins) {
    return extFloatBinary(body, ins, [&](Value x, Value y) { return body.make<arith::MaxNumFOp>(x, y); });
  });
  table.add(spv::Std::fmin, [](Body &body, const Instruction &ins) {
    return extFloatBinary(body, ins, [&](Value x, Value y) { return body.make<arith::MinNumFOp>(x, y); });
  });
  table.add({spv::Std::maxmag, spv::Std::minmag}, byMagnitude);
  table.add({spv::Std::half_divide, spv::Std::native_divide}, divide);
  table.add(spv::Std::fma, [](Body &body, const Instruction &ins) {
    return floatTernary(body, ins, [&](Value a, Value b, Value c) { return body.make<math::FmaOp>(a, b, c); });
  });
  table.add(spv::Std::mad, mad);
  table.add(spv::Std::nan, quietNaN);
  table.add({spv::Std::fract, spv::Std::modf, spv::Std::sincos, spv::Std::frexp, spv::Std::lgamma_r, spv::Std::remquo},
            [](Body &body, const Instruction &ins) { return mathWithPointer(body, ins, stdFunction(ins)); });
}

} // namespace kiln::import
