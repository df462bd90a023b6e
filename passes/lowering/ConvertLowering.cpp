// Conversions with every rounding mode, from hardware conversions, which round to nearest (to floating point) or to
// zero (to integers).
//
// Other modes to floating point: round to nearest, convert back to find the side of the exact value on which the result
// is, and step to the adjacent number if the mode requires the other side. Its bit pattern differs by one.
#include "passes/lowering/ConvertLowering.h"
#include "dialects/ocl/CallIntrinsic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace kiln {
namespace {

class ConversionLowering {
public:
  ConversionLowering(ocl::ConvertOp op, OpBuilder &builder, bool roundsToInt)
      : b(builder), roundsToInt(roundsToInt), loc(op.getLoc()), value(op.getValue()), rounding(op.getRounding()),
        saturate(op.getSaturate()), unsignedIn(op.getUnsignedIn()), unsignedOut(op.getUnsignedOut()), to(op.getType()) {
  }

  Value run() {
    bool fromFloat = isa<FloatType>(getElementTypeOrSelf(value.getType()));
    bool toFloat = isa<FloatType>(getElementTypeOrSelf(to));
    if (fromFloat)
      return toFloat ? floatToFloat() : floatToInt();
    return toFloat ? intToFloat() : intToInt();
  }

private:
  unsigned width(Type type) { return getElementTypeOrSelf(type).getIntOrFloatBitWidth(); }

  Type withElement(Type element) {
    auto vector = dyn_cast<VectorType>(to);
    return vector ? Type(VectorType::get(vector.getShape(), element)) : element;
  }
  Value constant(Type type, TypedAttr element) {
    auto vector = dyn_cast<VectorType>(type);
    return arith::ConstantOp::create(b, loc, type,
                                     vector ? TypedAttr(DenseElementsAttr::get(vector, Attribute(element))) : element);
  }
  Value constant(Type type, const APInt &bits) {
    return constant(type, IntegerAttr::get(getElementTypeOrSelf(type), bits));
  }
  Value constant(Type type, const APFloat &number) {
    return constant(type, FloatAttr::get(getElementTypeOrSelf(type), number));
  }
  Value constant(Type type, uint64_t bits) { return constant(type, APInt(width(type), bits, false, true)); }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }

  Value floatToInt() {
    const bool isSmall = saturate && width(to) <= 16 && width(value.getType()) >= 32;
    if (isSmall && rounding == ocl::Rounding::rte && roundsToInt)
      return saturatingSmall(value, to, /*rounds=*/true);
    switch (rounding) {
    case ocl::Rounding::rte:
      value = math::RoundEvenOp::create(b, loc, value);
      break;
    case ocl::Rounding::rtp:
      value = math::CeilOp::create(b, loc, value);
      break;
    case ocl::Rounding::rtn:
      value = math::FloorOp::create(b, loc, value);
      break;
    case ocl::Rounding::rtz:
      break;
    }
    if (saturate)
      return saturatingInt(value, to);
    // Out of range gives an unspecified value. Frozen, so that it is the same at every use and not poison.
    Value result = unsignedOut ? Value(arith::FPToUIOp::create(b, loc, to, value))
                               : Value(arith::FPToSIOp::create(b, loc, to, value));
    return LLVM::FreezeOp::create(b, loc, result);
  }

  Value saturatingInt(Value x, Type type) {
    if (width(type) <= 16 && width(x.getType()) >= 32)
      return saturatingSmall(x, type, /*rounds=*/false);
    StringRef name = unsignedOut ? "llvm.fptoui.sat" : "llvm.fptosi.sat";
    return callIntrinsic(b, loc, name, type, x);
  }

  // Both limits are exact in the floating-point type, so clamping can precede the conversion. That is to 32 bits,
  // because LLVM scalarizes vector conversions to narrower types. NaN gives 0. `rounds`: the conversion itself rounds
  // to nearest.
  Value saturatingSmall(Value x, Type type, bool rounds) {
    const unsigned out = width(type);
    auto end = [&](double number) {
      APFloat exact(number);
      bool inexact;
      exact.convert(cast<FloatType>(getElementTypeOrSelf(x.getType())).getFloatSemantics(),
                    APFloat::rmNearestTiesToEven, &inexact);
      return constant(x.getType(), exact);
    };
    Value low = end(unsignedOut ? 0.0 : -double(1u << (out - 1))), high = end(double((1u << (out - !unsignedOut)) - 1));
    Value bound = arith::SelectOp::create(b, loc, compare(arith::CmpFPredicate::OGT, x, low), x, low);
    bound = arith::SelectOp::create(b, loc, compare(arith::CmpFPredicate::OLT, bound, high), bound, high);
    Type wide = withElement(b.getI32Type());
    Value whole = rounds ? Value(LLVM::LrintOp::create(b, loc, wide, bound))
                         : Value(arith::FPToSIOp::create(b, loc, wide, bound));
    if (!unsignedOut) // NaN was clamped to the lower limit
      whole = arith::SelectOp::create(b, loc, compare(arith::CmpFPredicate::ORD, x, x), whole, constant(wide, 0));
    return arith::TruncIOp::create(b, loc, type, whole);
  }

  Value intToInt() {
    unsigned in = width(value.getType()), out = width(to);
    if (saturate)
      value = clamp(in, out);
    if (in == out)
      return value;
    if (in > out)
      return arith::TruncIOp::create(b, loc, to, value);
    return unsignedIn ? Value(arith::ExtUIOp::create(b, loc, to, value))
                      : Value(arith::ExtSIOp::create(b, loc, to, value));
  }

  // Clamps to the result's range, in the operand's type. A limit outside of that type needs no clamp.
  Value clamp(unsigned in, unsigned out) {
    Type type = value.getType();
    APInt high = unsignedOut ? APInt::getMaxValue(out) : APInt::getSignedMaxValue(out);
    if (unsignedIn) {
      if (high.getActiveBits() > in || high.zextOrTrunc(in) == APInt::getMaxValue(in))
        return value;
      return arith::MinUIOp::create(b, loc, value, constant(type, high.zextOrTrunc(in)));
    }
    Value clamped = value;
    APInt low = unsignedOut ? APInt::getZero(in) : out < in ? APInt::getSignedMinValue(out).sext(in) : APInt();
    if (unsignedOut || out < in)
      clamped = arith::MaxSIOp::create(b, loc, clamped, constant(type, low));
    if (high.getActiveBits() < in)
      clamped = arith::MinSIOp::create(b, loc, clamped, constant(type, high.zextOrTrunc(in)));
    return clamped;
  }

  Value floatToFloat() {
    unsigned in = width(value.getType()), out = width(to);
    if (in == out)
      return value;
    if (in < out)
      return arith::ExtFOp::create(b, loc, to, value);
    Value nearest = arith::TruncFOp::create(b, loc, to, value);
    if (rounding == ocl::Rounding::rte)
      return nearest;
    Value back = arith::ExtFOp::create(b, loc, value.getType(), nearest);
    Value above = compare(arith::CmpFPredicate::OGT, back, value);
    Value below = compare(arith::CmpFPredicate::OLT, back, value);
    auto zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(value.getType()));
    return step(nearest, above, below, compare(arith::CmpFPredicate::OLT, value, zero));
  }

  Value intToFloat() {
    Value nearest = unsignedIn ? Value(arith::UIToFPOp::create(b, loc, to, value))
                               : Value(arith::SIToFPOp::create(b, loc, to, value));
    Type intType = value.getType();
    unsigned in = width(intType);
    auto semantics = &cast<FloatType>(getElementTypeOrSelf(to)).getFloatSemantics();
    if (rounding == ocl::Rounding::rte || APFloat::semanticsPrecision(*semantics) >= in)
      return nearest;
    // Converted back, the next power of two past the type's range saturates: it is above every value.
    unsignedOut = unsignedIn;
    Value back = saturatingInt(nearest, intType);
    auto greater = unsignedIn ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt;
    auto less = unsignedIn ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    APFloat past(*semantics, 1);
    past = scalbn(past, unsignedIn ? in : in - 1, APFloat::rmNearestTiesToEven);
    Value over = compare(arith::CmpFPredicate::OGE, nearest, constant(to, past));
    Value above = arith::OrIOp::create(b, loc, over, compare(greater, back, value));
    Value below = compare(less, back, value);
    if (past.isInfinity() && !unsignedIn) { // minus infinity saturates to the least value, which is above it
      Value under = compare(arith::CmpFPredicate::OEQ, nearest, constant(to, -past));
      below = arith::OrIOp::create(b, loc, under, below);
    }
    Value negative = unsignedIn ? Value() : compare(arith::CmpIPredicate::slt, value, constant(intType, 0));
    return step(nearest, above, below, negative);
  }

  // `nearest`, or the adjacent number if the mode requires the other side. `negative`: the exact value is negative;
  // null: it never is.
  Value step(Value nearest, Value above, Value below, Value negative) {
    Type bitsType = withElement(b.getIntegerType(width(to)));
    Value bits = arith::BitcastOp::create(b, loc, bitsType, nearest);
    Value one = constant(bitsType, 1);
    // Magnitudes grow with the pattern, so away from zero is plus one for either sign.
    Value away = arith::AddIOp::create(b, loc, bits, one), towards = arith::SubIOp::create(b, loc, bits, one);
    auto select = [&](Value condition, Value yes, Value no) -> Value {
      return arith::SelectOp::create(b, loc, condition, yes, no);
    };
    Value down = negative ? select(negative, away, towards) : towards;
    Value up = negative ? select(negative, towards, away) : away;
    Value result = bits;
    if (rounding == ocl::Rounding::rtp)
      result = select(below, up, bits);
    else if (rounding == ocl::Rounding::rtn)
      result = select(above, down, bits);
    else if (negative)
      result = select(negative, select(below, up, bits), select(above, down, bits));
    else
      result = select(above, down, bits);
    return arith::BitcastOp::create(b, loc, to, result);
  }

  OpBuilder &b;
  const bool roundsToInt;
  Location loc;
  Value value;
  ocl::Rounding rounding;
  bool saturate, unsignedIn, unsignedOut;
  Type to;
};
} // namespace

Value lowerConvert(ocl::ConvertOp op, OpBuilder &builder, bool roundsToInt) {
  return ConversionLowering(op, builder, roundsToInt).run();
}

} // namespace kiln
