// The functions below were selected by comparing libclc 22 with the host's library over random arguments and edge
// cases:
//
//   exp, exp2, exp10 (single)     flush small results; 30 instructions where the hardware has one
//   ldexp                         flushes small results (single), returns a number for NaN (double); use LLVM's
//   intrinsic fmod, remainder (single)      treat small divisors as zero erfc, rootn (single)          lose small
//   results; tgamma (single) has an error of 200 ulp: all three in double pow, powr (double)            wrap around for
//   exponents above 10^30 tgamma (double)               has an error of thousands of ulp
#include "passes/gpu/MathExpansion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;

namespace kiln::gpu {
namespace {

using ocl::MathFn;
using P = arith::CmpFPredicate;

class MathExpander {
public:
  MathExpander(OpBuilder &b, Location loc, const GpuTargetInfo &info, LibraryCall library)
      : b_(b), loc_(loc), info_(info), library_(library) {}

  Value expand(MathFn fn, ArrayRef<Value> x, Type type) {
    bool isSingle = x[0].getType().isF32();
    switch (fn) {
    case MathFn::ldexp:
      return LLVM::CallIntrinsicOp::create(b_, loc_, type, b_.getStringAttr("llvm.ldexp"), x).getResult(0);
    case MathFn::exp:
      return isSingle ? power(x[0], M_LOG2E, 0x1.62e4p-1, 0x1.7f7d1cp-20, 89, -104) : Value();
    case MathFn::exp10:
      return isSingle ? power(x[0], M_LN10 / M_LN2, 0x1.344p-2, 0x1.3509f8p-18, 39, -46) : Value();
    case MathFn::exp2:
      return isSingle ? power(x[0], 1, 1, 0, 129, -151) : Value();
    case MathFn::fmod:
    case MathFn::remainder:
      return isSingle ? dividing(fn, x[0], x[1]) : Value();
    case MathFn::erfc:
    case MathFn::rootn:
      return isSingle ? inDouble(fn, x, type) : Value();
    case MathFn::tgamma:
      return isSingle ? narrow(gamma(wide(x[0]))) : gamma(x[0]);
    case MathFn::pow:
    case MathFn::powr:
      return isSingle ? Value() : library_(fn, {x[0], tame(x[1])}, type);
    default:
      return {};
    }
  }

private:
  Value number(double value, Type type) { return arith::ConstantOp::create(b_, loc_, b_.getFloatAttr(type, value)); }
  Value number(double value, Value like) { return number(value, like.getType()); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b_, loc_, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b_, loc_, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b_, loc_, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b_, loc_, x, y); }
  Value fma(Value x, Value y, Value z) { return math::FmaOp::create(b_, loc_, x, y, z); }
  Value abs(Value x) { return math::AbsFOp::create(b_, loc_, x); }
  Value select(Value condition, Value yes, Value no) { return arith::SelectOp::create(b_, loc_, condition, yes, no); }
  Value compare(P predicate, Value x, double y) { return arith::CmpFOp::create(b_, loc_, predicate, x, number(y, x)); }
  Value wide(Value x) { return arith::ExtFOp::create(b_, loc_, b_.getF64Type(), x); }
  Value narrow(Value x) { return arith::TruncFOp::create(b_, loc_, b_.getF32Type(), x); }

  Value inDouble(MathFn fn, ArrayRef<Value> operands, Type type) {
    SmallVector<Value> all;
    for (Value operand : operands)
      all.push_back(operand.getType().isF32() ? wide(operand) : operand);
    return narrow(library_(fn, all, b_.getF64Type()));
  }

  Value integer(int32_t value) { return arith::ConstantIntOp::create(b_, loc_, value, 32); }
  // 2^exponent in single precision, for exponents of normal numbers.
  Value powerOfTwo(Value exponent) {
    Value biased = arith::AddIOp::create(b_, loc_, exponent, integer(127));
    return arith::BitcastOp::create(b_, loc_, b_.getF32Type(),
                                    Value(arith::ShLIOp::create(b_, loc_, biased, integer(23))));
  }

  // base^x = 2^j 2^r with an integer j: j = x log2(base) rounded, r = (x - j / log2(base)) log2(base). 1 / log2(base)
  // has two parts, and j times the first is exact. The product with 2^j is rounded once.
  Value power(Value x, double log2OfBase, double high, double low, double over, double under) {
    Value factor = number(log2OfBase, x);
    Value j = math::RoundEvenOp::create(b_, loc_, mul(x, factor));
    Value rest = fma(j, number(-high, x), x);
    if (low != 0)
      rest = fma(j, number(-low, x), rest);
    Value fraction = info_.approximate(b_, loc_, Approximate::Exp2, mul(rest, factor));
    Value bounded =
        arith::MinNumFOp::create(b_, loc_, arith::MaxNumFOp::create(b_, loc_, j, number(-200, x)), number(200, x));
    Value whole = arith::FPToSIOp::create(b_, loc_, b_.getI32Type(), bounded);
    Value half = arith::ShRSIOp::create(b_, loc_, whole, integer(1));
    Value otherHalf = arith::SubIOp::create(b_, loc_, whole, half);
    Value result = mul(mul(fraction, powerOfTwo(half)), powerOfTwo(otherHalf)); // only the last may round
    result = select(compare(P::OGT, x, over), number(INFINITY, x), result);
    return select(compare(P::OLT, x, under), number(0, x), result);
  }

  // The library treats small divisors as zero. So the first remainder is by y * 2^64, an even multiple of y, which
  // preserves the remainder by y and the parity of its quotient.
  Value dividing(MathFn fn, Value x, Value y) {
    Type type = x.getType();
    Value up = number(0x1p64, type), zero = number(0, type);
    Value isSmall = compare(P::OLT, abs(y), 0x1p-102);
    Value divisor = select(isSmall, mul(y, up), y);
    Value first = library_(MathFn::fmod, {select(isSmall, x, zero), divisor}, type);
    Value dividend = select(isSmall, mul(first, up), x);
    Value result = library_(fn, {dividend, divisor}, type);
    return select(isSmall, mul(result, number(0x1p-64, type)), result);
  }

  // Clamps an exponent to 2^65. Beyond that, powers of all numbers but 1 and -1 are zero or infinity, and all exponents
  // are even.
  Value tame(Value y) {
    Value limited = arith::MinNumFOp::create(b_, loc_, abs(y), number(0x1p65, y));
    limited = math::CopySignOp::create(b_, loc_, limited, y);
    Value isFinite = compare(P::OLT, abs(y), INFINITY);
    return select(isFinite, limited, y);
  }

  // Lanczos' approximation with g = 6.0246... and 13 terms as a quotient of polynomials (the coefficients for 53 bits),
  // with reflection for x < 1/2.
  Value gamma(Value x) {
    Type type = x.getType();
    constexpr double g = 6.024680040776729583740234375;
    constexpr double above[] = {
        23531376880.41075968857200767445163675473076, 42919803642.64909876895789904700198885093263,
        35711959237.35566804944018545154716670596718, 17921034426.03720969991975575445893111267403,
        6039542586.352028005064291644307297921070388, 1439720407.311721673663223072794912393972485,
        248874557.8620541565114603864132294232163077, 31426415.58540019438061423162831820536287787,
        2876370.628935372441225409051620849613599112, 186056.2653952234950402949897160456992822505,
        8071.672002365816210638002902272250613821827, 210.8242777515793458725097339207133627117643,
        2.506628274631000270164908177133837338626431};
    // x (x + 1) ... (x + 11)
    constexpr double below[] = {0,       39916800, 120543840, 150917976, 105258076, 45995730, 13339535,
                                2637558, 357423,   32670,     1925,      66,        1};
    Value isLeft = compare(P::OLT, x, 0.5);
    Value z = select(isLeft, sub(number(1, type), x), x);      // at least 1/2
    z = select(compare(P::OGT, z, 180), number(180, type), z); // the result is infinite there, or its inverse zero
    // In powers of 1 / z for large z, to avoid overflow.
    Value isLarge = compare(P::OGT, z, 8);
    Value power = select(isLarge, div(number(1, type), z), z);
    auto polynomial = [&](ArrayRef<double> coefficients) {
      Value sum;
      for (size_t i = 0; i < coefficients.size(); ++i) {
        Value falling = number(coefficients[coefficients.size() - 1 - i], type), rising = number(coefficients[i], type);
        Value term = select(isLarge, rising, falling);
        sum = sum ? fma(sum, power, term) : term;
      }
      return sum;
    };
    Value quotient = div(polynomial(above), polynomial(below));
    // gamma(z) = quotient t^(z - 1/2) e^-t with t = z + g - 1/2. The power is split into two factors, which do not
    // overflow if the result does not. The rounding error of t is corrected to first order: its effect on gamma is g /
    // t times the error.
    Value shift = number(g - 0.5, type);
    Value t = add(z, shift);
    Value shiftIsMore = compare(P::OLT, z, g - 0.5);
    Value lost = sub(sub(t, select(shiftIsMore, shift, z)), select(shiftIsMore, z, shift));
    Value correction = fma(div(lost, t), number(g, type), number(1, type));
    Value half = library_(MathFn::pow, {t, mul(sub(z, number(0.5, type)), number(0.5, type))}, type);
    Value falling = library_(MathFn::exp, {arith::NegFOp::create(b_, loc_, t)}, type);
    Value most = mul(mul(mul(half, falling), quotient), correction);
    Value right = select(compare(P::OGT, z, 171.7), number(INFINITY, type), mul(most, half));
    // Reflection: pi / (sin(pi x) gamma(1 - x)), which is finite even where gamma(1 - x) overflows.
    Value sine = library_(MathFn::sinpi, {x}, type);
    Value left = div(div(number(M_PI, type), mul(sine, most)), half);
    left = select(compare(P::OLT, x, -180), math::CopySignOp::create(b_, loc_, number(0, type), sine), left);
    Value isWhole = arith::CmpFOp::create(b_, loc_, P::OEQ, x, Value(math::FloorOp::create(b_, loc_, x)));
    Value isNegative = compare(P::OLT, x, 0);
    left = select(arith::AndIOp::create(b_, loc_, isNegative, isWhole), number(NAN, type), left);
    left = select(compare(P::OEQ, x, 0), math::CopySignOp::create(b_, loc_, number(INFINITY, type), x), left);
    Value result = select(isLeft, left, right);
    return select(compare(P::UNO, x, 0), x, result);
  }

  OpBuilder &b_;
  Location loc_;
  const GpuTargetInfo &info_;
  LibraryCall library_;
};
} // namespace

Value expandMath(OpBuilder &b, Location loc, const GpuTargetInfo &info, LibraryCall library, MathFn fn,
                 ArrayRef<Value> operands, Type type) {
  return MathExpander(b, loc, info, library).expand(fn, operands, type);
}

} // namespace kiln::gpu
