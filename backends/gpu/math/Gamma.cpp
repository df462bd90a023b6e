// The gamma function and the logarithm of its magnitude.
//
// gamma(x) up to |x| = 20: x = n + r with |r| <= 1/2, and 1 / gamma(1 + r) is a polynomial, because it has no poles.
//
//   n > 0:   gamma(x) = (x - 1) (x - 2) ... (r + 1) gamma(1 + r)
//   n <= 0:  gamma(x) = gamma(1 + r) / (x (x + 1) ... r)
//
// Each factor is exact. Floats beyond 20, and log gamma from 3 on: Stirling's formula,
//
//   log gamma(y) = (y - 1/2) (log y - 1) + (log(2 pi) - 1) / 2 + correction(y)
//
// gamma of floats has the base-2 logarithm in two floats, because a result near 2^128 has an exponent with 7 bits.
// Doubles beyond 20 and the logarithms of negative numbers' gamma take the CPU's functions.
#include "backends/cpu/math/Gamma.h"
#include "backends/gpu/math/Compare.h"
#include "backends/gpu/math/DoubleLog.h"
#include "backends/gpu/math/Exp.h"
#include "backends/gpu/math/HalfTurns.h"
#include "backends/gpu/math/Instances.h"
#include "backends/gpu/math/Log.h"

namespace kiln::math {

namespace {

constexpr float Pi = 0x1.921fb6p+1f;

template <typename E> inline constexpr auto &inverseGamma = gpuInverseGamma;
template <> inline constexpr auto &inverseGamma<double> = gpuInverseGammaOfDouble;

/// gamma(x) for |x| from 2^-100 to 20. NaN for negative integers.
template <typename E> KILN_INLINE E gammaByProduct(E x) {
  Ints<E> n;
  E r = x - nearest(x + Format<E>::Shifter, n), inverse = fma(r, horner(r, inverseGamma<E>), E(1));
  bool left = n <= 0;
  E factor = left ? x : x - 1, step = left ? 1 : -1, product = 1;
#pragma nounroll // few steps
  for (int count = left ? 1 - int(n) : int(n) - 1; count > 0; --count) {
    product *= factor;
    factor += step;
  }
  E result = reciprocal(left ? inverse * product : inverse);
  result = left ? result : product * result;
  return product == 0 ? nan<E>() : result;
}
template <typename E> KILN_INLINE bool isProduct(E x) { return isWithin(abs(x), E(0x1p-100), E(20)); }

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

// Below 0: gamma(x) = pi / (sin(pi x) gamma(1 - x)).
[[gnu::cold, gnu::noinline]] float farTgamma(float x) {
  if (abs(x) < 1)
    return 1 / x;
  bool left = x < 0;
  float y = left ? 1 - x : x, error = left ? 1 - (y + x) : 0;
  FloatSum log = log2Gamma(y, error);
  auto [part, scale] = exp2OfSum(left ? -log.high : log.high, left ? -log.low : log.low);
  if (!left)
    return part * scale;
  // The scale is a factor of at most 1. It comes last, so that a subnormal result is rounded once.
  return Pi / 16 * part / sineOf(x) * (16 * scale);
}
KILN_INLINE float floatTgamma(float x) {
  return __builtin_expect(isProduct(x), true) ? gammaByProduct(x) : farTgamma(x);
}
[[gnu::cold, gnu::noinline]] double farTgamma(double x) { return tgamma(x); }
KILN_INLINE double doubleTgamma(double x) {
  return __builtin_expect(isProduct(x), true) ? gammaByProduct(x) : farTgamma(x);
}

[[gnu::cold, gnu::noinline]] double farLgamma(double x) { return lgamma(x); }
// As that of floats, for which see below.
KILN_INLINE double doubleLgamma(double x) {
  if (__builtin_expect(!isWithin(x, 0x1p-1022, __builtin_inf()), false))
    return farLgamma(x); // not positive, subnormal, infinite or NaN
  bool far = x > 3, below = x < 1;
  double log = far || below ? logOfNormal(x) : 0;
  if (far) {
    double inverse = reciprocal(x);
    double correction = fma(inverse, horner(inverse * inverse, gpuStirlingOfDouble), 0x1.acfe390c97d69p-2);
    return fma(x - 0.5, log - 1, correction);
  }
  double first = below ? x : x - 1, second = below ? x - 1 : x - 2;
  return fma(first * second, horner(second, gpuLogGammaOfDouble), 0 - log);
}

// lgamma of a negative number is a difference that loses most digits of a float near its zeros.
[[gnu::cold, gnu::noinline]] float lgammaOfNegative(float x) { return float(lgamma(double(x))); }

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
KILN_GPU_ONE(double, "tgamma.f64", doubleTgamma)
KILN_GPU_ONE(float, "lgamma.f32", floatLgamma)
KILN_GPU_ONE(double, "lgamma.f64", doubleLgamma)

} // namespace kiln::math
