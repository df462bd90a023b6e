// Powers of floats: x^y = 2^(y log2 x), with the logarithm and the product in two parts, because an exponent near 100
// costs 7 bits of precision.
#include "backends/cpu/math/PowerCases.h"
#include "backends/gpu/math/Coefficients.h"
#include "backends/gpu/math/Exp.h"
#include "backends/gpu/math/Instances.h"
#include "backends/gpu/math/Log.h"

namespace kiln::math {
namespace {

/// The base-2 logarithm of a magnitude. With s = 2 f / (2 + f): log(1 + f) = s + s^3 / 12 + ...
KILN_INLINE FloatSum log2Sum(float magnitude) {
  auto [f, e] = floatParts(magnitude, 0x1.6a09e6p-1f);
  float inverse = reciprocalUnit(f + 2), half = f * inverse;
  // The quotient's error: f - half (2 + f), exact but for its last rounding.
  float halfLow = inverse * fma(-f, half, fma(-2.0f, half, f));
  constexpr float factor = 0x1.715476p+1f, factorLow = 0x1.4ae0cp-25f; // 2 / ln 2
  float high = fma(half, factor, e), low = fma(half, factor, e - high);
  low = fma(half, factorLow, fma(halfLow, factor, low));
  float square = half * half;
  low = fma(square * half, horner(square, gpuPowRatio), low);
  float sum = high + low;
  return {sum, low - (sum - high)};
}

/// The logarithms of zero, infinity and NaN replace `log` there.
KILN_INLINE FloatSum withLogEdges(float magnitude, FloatSum log) {
  bool plain = magnitude > 0 && magnitude < __builtin_inff();
  return plain ? log : FloatSum{magnitude == 0 ? -__builtin_inff() : magnitude, 0};
}

KILN_INLINE float powerOf(float magnitude, float y) {
  FloatSum log = withLogEdges(magnitude, log2Sum(magnitude));
  float product = log.high * y;
  return exp2OfSum(product, fma(log.high, y, -product) + log.low * y).value();
}
KILN_INLINE float floatPow(float x, float y) { return asPow(x, y, powerOf(abs(x), y)); }
KILN_INLINE float floatPowr(float x, float y) { return x < 0 ? __builtin_nanf("") : powerOf(x, y); }

/// x^n for n from 0 to 7. Up to six products, each with half an ulp of error or less.
KILN_INLINE float smallPower(float x, unsigned n) {
  float square = x * x, fourth = square * square;
  float power = n & 1 ? x : 1;
  power = n & 2 ? power * square : power;
  return n & 4 ? power * fourth : power;
}
/// An integer of more than 24 bits is the sum of two floats. `low` is below 2^-16 n then, else zero.
KILN_INLINE FloatSum sumOf(int n) {
  int high = unsigned(n) + (1u << 24) <= 1u << 25 ? n : n & ~0xff;
  return {float(high), float(n - high)};
}
KILN_INLINE float floatPown(float x, int n) {
  if (unsigned(n) + 7 <= 14) {
    float power = smallPower(x, unsigned(n < 0 ? -n : n));
    if (n >= 0)
      return power;
    if (abs(power) > 0x1p-126f && abs(power) < 0x1p126f)
      return reciprocalUnit(power);
  }
  FloatSum log = withLogEdges(abs(x), log2Sum(abs(x))), y = sumOf(n);
  float product = log.high * y.high;
  float low = fma(log.high, y.high, -product) + fma(log.low, y.high, log.high * y.low);
  return withSign(exp2OfSum(product, low).value(), n & 1 ? signBit(x) : 0);
}

/// |x|^(1/n) = 2^((e + log2(1 + f)) / n). The quotient of the integer e has two parts, so the unit's error, which is
/// absolute, is one of the result's last digits, divided by n.
KILN_INLINE float floatRootn(float x, int n) {
  auto [f, e] = floatParts(abs(x), TwoThirds);
  float divisor = float(n), inverse = reciprocalUnit(divisor), high = e * inverse;
  float low = (fma(-high, divisor, e) + log2Unit(1 + f)) * inverse;
  bool plain = x != 0 && abs(x) < __builtin_inff(), odd = n & 1;
  float root = exp2OfSum(plain ? high : inverse * (x == 0 ? -__builtin_inff() : abs(x)), low).value();
  root = withSign(root, odd ? signBit(x) : 0);
  return n == 0 || (x < 0 && !odd) ? __builtin_nanf("") : root;
}

// Without the low parts: the error grows with the result's exponent, up to 300 ulp.
KILN_INLINE float fastPowerOf(float magnitude, float y) {
  auto [f, e] = floatParts(magnitude, TwoThirds);
  float log = floatLogEdges(magnitude, fma(f, horner(f, gpuLog2Slope), e));
  return exp2Any(log * y);
}
KILN_INLINE float fastPow(float x, float y) { return asPow(x, y, fastPowerOf(abs(x), y)); }
KILN_INLINE float fastPowr(float x, float y) { return fastPowerOf(x, y); }

} // namespace

KILN_GPU_TWO(float, "pow.f32", floatPow)
KILN_GPU_TWO(float, "powr.f32", floatPowr)
KILN_GPU_INT(float, "pown.f32", floatPown)
KILN_GPU_INT(float, "rootn.f32", floatRootn)
KILN_GPU_TWO(float, "fast.pow.f32", fastPow)
KILN_GPU_TWO(float, "fast.powr.f32", fastPowr)

} // namespace kiln::math
