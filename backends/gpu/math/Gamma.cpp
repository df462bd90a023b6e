// The gamma function and the logarithm of its magnitude, for floats: Stirling's formula from 3 on,
//
//   log gamma(y) = (y - 1/2) (log y - 1) + (log(2 pi) - 1) / 2 + correction(y)
//
// tgamma computes the base-2 logarithm in two floats, because a result near 2^128 has an exponent with 7 bits.
#include "backends/gpu/math/Exp.h"
#include "backends/gpu/math/Forms.h"
#include "backends/gpu/math/HalfTurns.h"
#include "backends/gpu/math/Log.h"

namespace kiln::math {

double lgammaOfDouble(double x) __asm__("kiln.math.lgamma.f64");

namespace {

constexpr float Pi = 0x1.921fb6p+1f;

/// The base-2 logarithm of gamma(y + error), y >= 3. The derivative is about log2 y.
KILN_INLINE FloatSum log2Gamma(float y, float error) {
  int shift = (bits(y) - bits(TwoThirds)) & int(0xff800000);
  float f = fromBits<float>(bits(y) - shift) - 1, e = fma(float(shift), 0x1p-23f, -1.4375f); // log2(e) = 1.4375 + ...
  float first = f * Log2OfEHigh;
  float low = fma(f, Log2OfELow, fma(f, Log2OfEHigh, -first));
  low = fma(f * f, horner(f, gpuLog2Tail), low);
  float log = e + first; // log2(y) - log2(e)
  low = (first - (log - e)) + (low - 0x1.547652p-8f);
  float factor = y - 0.5f, high = factor * log, inverse = reciprocalUnit(y);
  low = fma(factor, low, fma(factor, log, -high));
  float correction = fma(inverse, horner(inverse * inverse, gpuStirling2), 0x1.3573fcp-1f);
  return {high, fma(error, log + Log2OfEHigh, correction + low)};
}

/// sin(pi x) for x < 0. NaN for integers, at which the gamma function has no value.
KILN_INLINE float sineOf(float x) {
  float whole = __builtin_rintf(x), r = x - whole;
  float sine = sinOfHalfTurns(r);
  int odd = int(whole < -0x1p24f ? 0 : whole) & 1;
  return r == 0 ? __builtin_nanf("") : odd ? -sine : sine;
}

// Below 3: three steps of gamma(z) = gamma(z + 1) / z. Below 0: gamma(x) = pi / (sin(pi x) gamma(1 - x)).
KILN_INLINE float floatTgamma(float x) {
  bool left = x < 0;
  float z = left ? 1 - x : x, error = left ? 1 - (z + x) : 0;
  bool low = z < 3;
  float y = low ? z + 3 : z, steps = low ? z * (z + 1) * (z + 2) : 1;
  error += low ? (3 - y) + z : 0;
  FloatSum log = log2Gamma(y, error);
  auto [part, scale] = exp2OfSum(left ? -log.high : log.high, left ? -log.low : log.low);
  if (!left)
    return part * scale / steps;
  // The scale is a factor of at most 1. It comes last, so that a subnormal result is rounded once.
  return Pi / 16 * steps * part / sineOf(x) * (16 * scale);
}

// lgamma of a negative number is a difference that loses most digits of a float near its zeros.
[[gnu::cold, gnu::noinline]] float lgammaOfNegative(float x) { return float(lgammaOfDouble(x)); }

// Below 3: (z - 1) (z - 2) times a polynomial of z - 2, with one step of log gamma(z) = log gamma(z + 1) - log z
// below 1.
KILN_INLINE float floatLgamma(float x) {
  if (__builtin_expect(x < 0, false))
    return lgammaOfNegative(x);
  x = abs(x);
  float log = floatLogOf(floatParts(x, TwoThirds));
  if (x > 3) {
    float inverse = reciprocalUnit(x);
    float correction = fma(inverse, horner(inverse * inverse, gpuStirling), 0x1.acfe3ap-2f);
    return fma(x - 0.5f, log - 1, correction);
  }
  bool below = x < 1;
  float first = below ? x : x - 1, second = below ? x - 1 : x - 2;
  float result = fma(first * second, horner(second, gpuLogGamma), below ? -log : 0.0f);
  return x == 0 ? __builtin_inff() : result;
}

} // namespace

KILN_GPU_ONE(float, "tgamma.f32", floatTgamma)
KILN_GPU_ONE(float, "lgamma.f32", floatLgamma)

} // namespace kiln::math
