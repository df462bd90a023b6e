// OpenCL.std's math functions. Functions with an error bound become `ocl.math`; exact functions are expanded to `math`
// or `arith`, which can be vectorised.
#include "dialects/import/BodyImporter.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace kiln::import {
namespace {
using FloatP = arith::CmpFPredicate;
using IntP = arith::CmpIPredicate;

struct Leaf {
  ocl::MathFn fn;
  ocl::MathPrecision precision = ocl::MathPrecision::full;
};

std::optional<Leaf> leaf(spv::Std fn) {
  switch (fn) {
#define KILN_LEAF(name)                                                                                                \
  case spv::Std::name:                                                                                                 \
    return Leaf{ocl::MathFn::name};
#define KILN_HALF(name)                                                                                                \
  case spv::Std::half_##name:                                                                                          \
    return Leaf{ocl::MathFn::name, ocl::MathPrecision::half};
#define KILN_NATIVE(name)                                                                                              \
  case spv::Std::native_##name:                                                                                        \
    return Leaf{ocl::MathFn::name, ocl::MathPrecision::native};
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
                                                    default : return std::nullopt;
  }
}

bool isFloat(Type type) { return llvm::isa<FloatType>(getElementTypeOrSelf(type)); }
bool isInt32(Type type) { return getElementTypeOrSelf(type).isInteger(32); }
bool sameLanes(Type a, Type b) {
  auto va = llvm::dyn_cast<VectorType>(a), vb = llvm::dyn_cast<VectorType>(b);
  return va && vb ? va.getShape() == vb.getShape() : !va && !vb;
}
} // namespace

/// Returns the integer type with a float type's width and shape.
Type BodyImporter::bitsType(Type type) {
  Type element = builder.getIntegerType(getElementTypeOrSelf(type).getIntOrFloatBitWidth());
  auto vector = llvm::dyn_cast<VectorType>(type);
  return vector ? Type(VectorType::get(vector.getShape(), element)) : element;
}

ImportResult BodyImporter::extMath(const Instruction &ins, spv::Std fn) {
  if (auto math = leaf(fn))
    return importResult(mathLeaf(ins, math->fn, math->precision));
  switch (fn) {
  case spv::Std::ceil:
  case spv::Std::fabs:
  case spv::Std::floor:
  case spv::Std::rint:
  case spv::Std::round:
  case spv::Std::trunc:
  case spv::Std::half_recip:
  case spv::Std::native_recip:
    return importResult(floatUnary(ins, [&](Value x) -> Value {
      switch (fn) {
      case spv::Std::ceil:
        return make<math::CeilOp>(x);
      case spv::Std::fabs:
        return make<math::AbsFOp>(x);
      case spv::Std::floor:
        return make<math::FloorOp>(x);
      case spv::Std::rint:
        return make<math::RoundEvenOp>(x);
      case spv::Std::round:
        return make<math::RoundOp>(x);
      case spv::Std::trunc:
        return make<math::TruncOp>(x);
      default:
        return make<arith::DivFOp>(constantFloat(x.getType(), 1), x,
                                   fn == spv::Std::native_recip ? arith::FastMathFlags::arcp
                                                                : arith::FastMathFlags::none);
      }
    }));
  case spv::Std::copysign:
    return importResult(extFloatBinary(ins, [&](Value x, Value y) { return make<math::CopySignOp>(x, y); }));
  case spv::Std::ilogb:
    return importResult(exponentOf(ins));
  case spv::Std::logb:
    return importResult(floatUnary(ins, [&](Value x) { return logb(x); }));
  case spv::Std::nextafter:
    return importResult(extFloatBinary(ins, [&](Value x, Value y) { return nextAfter(x, y); }));
  case spv::Std::fdim: // x - y is NaN for a NaN, and exactly 0 where x == y
    return importResult(extFloatBinary(ins, [&](Value x, Value y) {
      Value isBelow = make<arith::CmpFOp>(FloatP::OLE, x, y);
      return make<arith::SelectOp>(isBelow, constantFloat(x.getType(), 0), make<arith::SubFOp>(x, y));
    }));
  case spv::Std::fmax:
    return importResult(extFloatBinary(ins, [&](Value x, Value y) { return make<arith::MaxNumFOp>(x, y); }));
  case spv::Std::fmin:
    return importResult(extFloatBinary(ins, [&](Value x, Value y) { return make<arith::MinNumFOp>(x, y); }));
  case spv::Std::maxmag:
  case spv::Std::minmag:
    return importResult(extFloatBinary(ins, [&](Value x, Value y) {
      bool isMax = fn == spv::Std::maxmag;
      Value ax = make<math::AbsFOp>(x), ay = make<math::AbsFOp>(y);
      FloatP wins = isMax ? FloatP::OGT : FloatP::OLT;
      Value tie = isMax ? make<arith::MaxNumFOp>(x, y) : make<arith::MinNumFOp>(x, y);
      Value y_or_tie = make<arith::SelectOp>(make<arith::CmpFOp>(wins, ay, ax), y, tie);
      return make<arith::SelectOp>(make<arith::CmpFOp>(wins, ax, ay), x, y_or_tie);
    }));
  case spv::Std::half_divide:
  case spv::Std::native_divide:
    return importResult(extFloatBinary(ins, [&](Value x, Value y) {
      return make<arith::DivFOp>(
          x, y, fn == spv::Std::native_divide ? arith::FastMathFlags::arcp : arith::FastMathFlags::none);
    }));
  case spv::Std::fma:
    return importResult(floatTernary(ins, [&](Value a, Value b, Value c) { return make<math::FmaOp>(a, b, c); }));
  case spv::Std::mad: // one rounding or two, even if other operations must not be contracted
    return importResult(floatTernary(ins, [&](Value a, Value b, Value c) {
      auto flags = fastMath(ins) | arith::FastMathFlags::contract;
      return make<arith::AddFOp>(make<arith::MulFOp>(a, b, flags), c, flags);
    }));
  case spv::Std::nan: {
    Values in;
    Type type = resultType(ins);
    if (!type || !operands(ins, in, 1, 2))
      return ImportResult::Failure;
    if (!isFloat(type) || in[0].getType() != bitsType(type))
      return importResult(mismatch(ins));
    llvm::APInt quiet =
        llvm::APFloat::getQNaN(llvm::cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics()).bitcastToAPInt();
    Value bits = make<arith::OrIOp>(in[0], constantInt(in[0].getType(), quiet));
    return importResult(define(ins, make<arith::BitcastOp>(type, bits)));
  }
  case spv::Std::fract:
  case spv::Std::modf:
  case spv::Std::sincos:
  case spv::Std::frexp:
  case spv::Std::lgamma_r:
  case spv::Std::remquo:
    return importResult(mathWithPointer(ins, fn));
  default:
    return ImportResult::NotHandled;
  }
}

LogicalResult BodyImporter::mathLeaf(const Instruction &ins, ocl::MathFn fn, ocl::MathPrecision precision) {
  Values in;
  Type type = resultType(ins);
  if (!type || !operands(ins, in, ins.args.size() - 2, 2))
    return failure();
  bool secondIsInt = fn == ocl::MathFn::ldexp || fn == ocl::MathFn::pown || fn == ocl::MathFn::rootn;
  Type number = in[0].getType();
  if (!isFloat(number) || type != number)
    return mismatch(ins);
  if (in.size() == 2) {
    if (secondIsInt ? !isInt32(in[1].getType()) || !sameLanes(in[1].getType(), number) : in[1].getType() != number)
      return mismatch(ins);
  }
  return define(ins, mathCall(fn, in, precision, type));
}

LogicalResult BodyImporter::floatUnary(const Instruction &ins, llvm::function_ref<Value(Value)> build) {
  Values in;
  if (!operands(ins, in, 1, 2))
    return failure();
  if (!isFloat(in[0].getType()))
    return mismatch(ins);
  return define(ins, build(in[0]));
}

LogicalResult BodyImporter::extFloatBinary(const Instruction &ins, llvm::function_ref<Value(Value, Value)> build) {
  Values in;
  if (!operands(ins, in, 2, 2))
    return failure();
  if (!isFloat(in[0].getType()) || in[1].getType() != in[0].getType())
    return mismatch(ins);
  return define(ins, build(in[0], in[1]));
}

LogicalResult BodyImporter::floatTernary(const Instruction &ins, llvm::function_ref<Value(Value, Value, Value)> build) {
  Values in;
  Type type = resultType(ins);
  if (!type || !operands(ins, in, 3, 2))
    return failure();
  for (Value operand : in)
    if (!isFloat(type) || operand.getType() != type)
      return mismatch(ins);
  return define(ins, build(in[0], in[1], in[2]));
}

/// Functions that store a second result through a pointer, their last operand.
LogicalResult BodyImporter::mathWithPointer(const Instruction &ins, spv::Std fn) {
  size_t numbers = fn == spv::Std::remquo ? 2 : 1;
  bool storesInt = fn == spv::Std::remquo || fn == spv::Std::frexp || fn == spv::Std::lgamma_r;
  Values in;
  Type type = resultType(ins);
  if (!type || !operands(ins, in, numbers + 1, 2))
    return failure();
  Value x = in[0], pointer = in[numbers];
  const TypeInfo *pointee = module.memoryType(module.pointeeOf(ins.args[2 + numbers]), ins);
  if (!pointee)
    return failure();
  if (!isFloat(type) || x.getType() != type || (numbers == 2 && in[1].getType() != type) ||
      !llvm::isa<LLVM::LLVMPointerType>(pointer.getType()) ||
      (storesInt ? !isInt32(pointee->type) || !sameLanes(pointee->type, type) : pointee->type != type))
    return mismatch(ins);

  std::pair<Value, Value> results; // the returned value, the stored value
  switch (fn) {
  case spv::Std::sincos:
    results = {mathCall(ocl::MathFn::sin, {x}), mathCall(ocl::MathFn::cos, {x})};
    break;
  case spv::Std::fract:
    results = fract(x);
    break;
  case spv::Std::modf: {
    Value whole = make<math::TruncOp>(x);
    Value isInfinite = classify(spv::Op::IsInf, x);
    Value rest = make<arith::SelectOp>(isInfinite, constantFloat(type, 0), make<arith::SubFOp>(x, whole));
    results = {make<math::CopySignOp>(rest, x), whole};
    break;
  }
  case spv::Std::frexp:
    results = frexp(x, pointee->type);
    break;
  case spv::Std::lgamma_r:
    results = {mathCall(ocl::MathFn::lgamma, {x}), gammaSign(x, pointee->type)};
    break;
  default:
    results = remquo(x, in[1], pointee->type);
    break;
  }
  LLVM::StoreOp::create(builder, loc, results.second, pointer, static_cast<unsigned>(pointee->align));
  return define(ins, results.first);
}

/// Returns x - floor(x), limited to the largest number below 1, and floor(x). For infinities and zeros the first is a
/// zero with x's sign (OpenCL C 7.5.1).
std::pair<Value, Value> BodyImporter::fract(Value x) {
  Type type = x.getType();
  const llvm::fltSemantics &semantics = llvm::cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics();
  llvm::APFloat belowOne = llvm::APFloat::getOne(semantics);
  belowOne.next(/*nextDown=*/true);
  Value limit = make<arith::BitcastOp>(type, constantInt(bitsType(type), belowOne.bitcastToAPInt()));
  Value whole = make<math::FloorOp>(x);
  Value rest = make<arith::SubFOp>(x, whole);
  Value isOne = make<arith::CmpFOp>(FloatP::OGE, rest, constantFloat(type, 1));
  rest = make<arith::SelectOp>(isOne, limit, rest);
  Value zero = make<math::CopySignOp>(constantFloat(type, 0), x);
  Value isZero = make<arith::CmpFOp>(FloatP::OEQ, x, constantFloat(type, 0));
  Value keepsSign = make<arith::OrIOp>(classify(spv::Op::IsInf, x), isZero);
  return {make<arith::SelectOp>(keepsSign, zero, rest), whole};
}

/// Extracts a mantissa in [1/2, 1) and an exponent from the number's bits. Normalises subnormal numbers first.
std::pair<Value, Value> BodyImporter::frexp(Value x, Type exponentType) {
  Type type = x.getType(), bits = bitsType(type);
  const llvm::fltSemantics &semantics = llvm::cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  unsigned mantissa = llvm::APFloat::semanticsPrecision(semantics) - 1;
  uint64_t bias = static_cast<uint64_t>(llvm::APFloat::semanticsMaxExponent(semantics));
  llvm::APInt exponentMask = llvm::APInt::getBitsSet(width, mantissa, width - 1);

  Value scale = make<arith::BitcastOp>(type, constantInt(bits, llvm::APInt(width, bias + mantissa + 1) << mantissa));
  Value smallest =
      make<arith::BitcastOp>(type, constantInt(bits, llvm::APFloat::getSmallestNormalized(semantics).bitcastToAPInt()));
  Value isSmall = make<arith::CmpFOp>(FloatP::OLT, make<math::AbsFOp>(x), smallest);
  Value normal = make<arith::SelectOp>(isSmall, make<arith::MulFOp>(x, scale), x);
  Value pattern = make<arith::BitcastOp>(bits, normal);
  Value biased =
      make<arith::ShRUIOp>(make<arith::AndIOp>(pattern, constantInt(bits, exponentMask)), constantInt(bits, mantissa));
  Value shift = make<arith::SelectOp>(isSmall, constantInt(bits, bias - 1 + mantissa + 1), constantInt(bits, bias - 1));
  Value exponent = make<arith::SubIOp>(biased, shift);
  Value half = make<arith::OrIOp>(make<arith::AndIOp>(pattern, constantInt(bits, ~exponentMask)),
                                  constantInt(bits, llvm::APInt(width, bias - 1) << mantissa));
  Value fraction = make<arith::BitcastOp>(type, half);

  Value isOrdinary =
      make<arith::AndIOp>(classify(spv::Op::IsFinite, x), make<arith::CmpFOp>(FloatP::UNE, x, constantFloat(type, 0)));
  exponent = make<arith::SelectOp>(isOrdinary, exponent, constantInt(bits, 0));
  Value asInt = width < 32   ? make<arith::ExtSIOp>(exponentType, exponent)
                : width > 32 ? make<arith::TruncIOp>(exponentType, exponent)
                             : exponent;
  return {make<arith::SelectOp>(isOrdinary, fraction, x), asInt};
}

LogicalResult BodyImporter::exponentOf(const Instruction &ins) {
  Values in;
  Type type = resultType(ins);
  if (!type || !operands(ins, in, 1, 2))
    return failure();
  Value x = in[0];
  if (!isFloat(x.getType()) || !isInt32(type) || !sameLanes(type, x.getType()))
    return mismatch(ins);
  Value exponent = make<arith::SubIOp>(frexp(x, type).second, constantInt(type, 1));
  // FP_ILOGB0 for zero, FP_ILOGBNAN for NaN and infinity.
  Value isZero = make<arith::CmpFOp>(FloatP::OEQ, x, constantFloat(x.getType(), 0));
  exponent = make<arith::SelectOp>(isZero, constantInt(type, llvm::APInt::getSignedMinValue(32)), exponent);
  Value largest = constantInt(type, llvm::APInt::getSignedMaxValue(32));
  return define(ins, make<arith::SelectOp>(classify(spv::Op::IsFinite, x), exponent, largest));
}

Value BodyImporter::logb(Value x) {
  Type type = x.getType(), ints = builder.getI32Type();
  if (auto vector = llvm::dyn_cast<VectorType>(type))
    ints = vector.clone(ints);
  Value exponent = make<arith::SubIOp>(frexp(x, ints).second, constantInt(ints, 1));
  Value result = make<arith::SIToFPOp>(type, exponent);
  Value isZero = make<arith::CmpFOp>(FloatP::OEQ, x, constantFloat(type, 0));
  result = make<arith::SelectOp>(isZero, constantFloat(type, -std::numeric_limits<double>::infinity()), result);
  return make<arith::SelectOp>(classify(spv::Op::IsFinite, x), result, make<arith::MulFOp>(x, x)); // infinite or NaN
}

/// The neighbour of x towards y differs by one in the bit pattern; zero's is the smallest number with y's sign.
Value BodyImporter::nextAfter(Value x, Value y) {
  Type type = x.getType(), bits = bitsType(type);
  Value pattern = make<arith::BitcastOp>(bits, x), one = constantInt(bits, 1);
  Value zero = constantFloat(type, 0);
  Value grows = make<arith::CmpIOp>(IntP::eq, make<arith::CmpFOp>(FloatP::OLT, x, y),
                                    make<arith::CmpFOp>(FloatP::OGT, x, zero)); // away from zero
  Value step = make<arith::SelectOp>(
      grows, one, constantInt(bits, llvm::APInt::getAllOnes(getElementTypeOrSelf(type).getIntOrFloatBitWidth())));
  Value neighbour = make<arith::BitcastOp>(type, make<arith::AddIOp>(pattern, step));
  Value smallest = make<math::CopySignOp>(make<arith::BitcastOp>(type, one), y);
  Value result = make<arith::SelectOp>(make<arith::CmpFOp>(FloatP::OEQ, x, zero), smallest, neighbour);
  result = make<arith::SelectOp>(make<arith::CmpFOp>(FloatP::OEQ, x, y), y, result);
  return make<arith::SelectOp>(make<arith::CmpFOp>(FloatP::UNO, x, y), make<arith::AddFOp>(x, y), result);
}

/// The gamma function is negative if x < 0 and floor(x) is odd: between -1 and 0, -3 and -2, ...
Value BodyImporter::gammaSign(Value x, Type type) {
  Type number = x.getType();
  Value half = make<arith::MulFOp>(make<math::FloorOp>(x), constantFloat(number, 0.5));
  Value isOdd = make<arith::CmpFOp>(FloatP::ONE, half, make<math::FloorOp>(half));
  Value isNegative = make<arith::CmpFOp>(FloatP::OLT, x, constantFloat(number, 0));
  return make<arith::SelectOp>(make<arith::AndIOp>(isOdd, isNegative), constantInt(type, llvm::APInt::getAllOnes(32)),
                               constantInt(type, 1));
}

/// Computes the low seven bits of the quotient from the remainder of a division by 128 y, which is exact: it differs
/// from the remainder by y times a number below 129. If 128 y overflows, the quotient is below 129 anyway.
std::pair<Value, Value> BodyImporter::remquo(Value x, Value y, Type quotientType) {
  Type type = x.getType();
  Value remainder = mathCall(ocl::MathFn::remainder, {x, y});
  Value wide = mathCall(ocl::MathFn::fmod, {x, make<arith::MulFOp>(y, constantFloat(type, 128))});
  // Two divisions, because the difference of the remainders may be infinite.
  Value ratio = make<arith::SubFOp>(make<arith::DivFOp>(wide, y), make<arith::DivFOp>(remainder, y));
  Value whole = ocl::ConvertOp::create(builder, loc, quotientType, ocl::Rounding::rte, ratio, /*saturate=*/true,
                                       /*unsigned_in=*/false, /*unsigned_out=*/false);
  Value zero = constantInt(quotientType, 0);
  Value isNegative = make<arith::CmpIOp>(IntP::slt, whole, zero);
  Value negated = make<arith::SubIOp>(zero, whole);
  Value magnitude =
      make<arith::AndIOp>(make<arith::SelectOp>(isNegative, negated, whole), constantInt(quotientType, 127));
  return {remainder, make<arith::SelectOp>(isNegative, make<arith::SubIOp>(zero, magnitude), magnitude)};
}

} // namespace kiln::import
