// Powers of floats: x^y = 2^(y log2 x), with the logarithm and the product in two parts, because an exponent near 100
// costs 7 bits of precision.
#include "backends/cpu/math/PowerCases.h"
#include "backends/gpu/math/Coefficients.h"
#include "backends/gpu/math/Exp.h"
#include "backends/gpu/math/Forms.h"
#include "backends/gpu/math/Log.h"

namespace kiln::math {
namespace {

struct FloatSum {
  float high, low;
};

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

/// 2^(y log). Beyond +-256 the result is zero or infinite, and the low part is not meaningful.
KILN_INLINE float exp2OfProduct(FloatSum log, float y) {
  float product = log.high * y, low = fma(log.high, y, -product) + log.low * y;
  low = abs(product) < 256 ? low : 0;
  constexpr float shifter = 0x1.8p23f;
  float shifted = fma(saturate(fma(product, 1.0f / 252, 0.5f)), 252.0f, shifter + 1);
  float part = exp2Unit((product - (shifted - (shifter + 127))) + low);
  return part * fromBits<float>(bits(shifted) << 23);
}

KILN_INLINE float powerOf(float magnitude, float y) {
  FloatSum log = log2Sum(magnitude);
  bool plain = magnitude > 0 && magnitude < __builtin_inff();
  log = plain ? log : FloatSum{magnitude == 0 ? -__builtin_inff() : magnitude, 0};
  return exp2OfProduct(log, y);
}
KILN_INLINE float floatPow(float x, float y) { return asPow(x, y, powerOf(abs(x), y)); }
KILN_INLINE float floatPowr(float x, float y) { return x < 0 ? __builtin_nanf("") : powerOf(x, y); }

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
KILN_GPU_TWO(float, "fast.pow.f32", fastPow)
KILN_GPU_TWO(float, "fast.powr.f32", fastPowr)

} // namespace kiln::math
