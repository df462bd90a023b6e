// Hyperbolic functions, of floats by the unit's 2^x, and their inverse functions, by log(1 + x). Small arguments of
// sinh and tanh have a polynomial, because the difference of exponentials loses digits.
#include "backends/gpu/math/Coefficients.h"
#include "backends/gpu/math/Compare.h"
#include "backends/gpu/math/DoubleExp.h"
#include "backends/gpu/math/DoubleLog.h"
#include "backends/gpu/math/Exp.h"
#include "backends/gpu/math/Instances.h"
#include "backends/gpu/math/Log.h"

namespace kiln::math {
namespace {

/// e^|x| / 2, which is finite wherever sinh and cosh are.
KILN_INLINE float halfExp(float x) {
  auto [part, scale] = expScaled(abs(x));
  return part * 0.5f * scale;
}
KILN_INLINE float floatCosh(float x) {
  float half = halfExp(x);
  return fma(reciprocalUnit(half), 0.25f, half);
}
KILN_INLINE float floatSinh(float x) {
  float half = halfExp(x), far = fma(reciprocalUnit(half), -0.25f, half), z = x * x;
  float near = fma(z * x, horner(z, gpuSinhTail), x);
  return abs(x) > 1.75f ? __builtin_copysignf(far, x) : near; // near for NaN
}
// tanh(x) = 1 - 2 / (e^2x + 1)
KILN_INLINE float floatTanh(float x) {
  float power = exp2Unit(abs(x) * 0x1.715476p+1f), z = x * x;
  float far = fma(reciprocalUnit(power + 1), -2.0f, 1.0f);
  float near = fma(fma(z, x, 0.0f), horner(z, gpuTanhTail), x); // the sum with +0 keeps the sign of -0
  return abs(x) > 0.55f ? __builtin_copysignf(far, x) : near;
}

/// log(x + root) = log1p(excess), excess = x + root - 1. From 2^26 on the root is x, and the result that of log(2 x),
/// computed as log1p(x / 4) + log(8).
KILN_INLINE float floatAreaOf(float x, float excess) {
  bool far = x > 0x1p26f;
  float reduced = far ? x * 0.25f : excess;
  float result = log1pOfSum(reduced, 1 + reduced) + (far ? 0x1.0a2b24p+1f : 0);
  return x == __builtin_inff() ? x : result;
}
KILN_INLINE float floatAsinh(float x) {
  float magnitude = abs(x), root = sqrtUnit(fma(x, x, 1.0f));
  float excess = fma(x * x, reciprocalUnit(1 + root), magnitude);
  return __builtin_copysignf(floatAreaOf(magnitude, excess), x);
}
KILN_INLINE float floatAcosh(float x) {
  float t = x - 1, result = floatAreaOf(x, t + sqrtUnit(t * (t + 2)));
  return x >= 1 ? result : __builtin_nanf("");
}
// log1p(2 x / (1 - x)) / 2
KILN_INLINE float floatAtanh(float x) {
  float magnitude = abs(x), excess = quotient(2 * magnitude, 1 - magnitude);
  float result = 0.5f * log1pOfSum(excess, 1 + excess);
  float edge = magnitude == 1 ? __builtin_inff() : __builtin_nanf("");
  return __builtin_copysignf(magnitude < 1 ? result : edge, x);
}

KILN_INLINE double doubleCosh(double x) {
  ShiftedDouble y = expShifted(abs(x));
  y.n -= 1;
  double half = normalValue(y);
  if (__builtin_expect(!isBelow(x, 709), false))
    return anyValue(y, abs(x), 720);
  return fma(reciprocal(half), 0.25, half);
}
// With t = e^2x - 1: tanh(x) = t / (t + 2).
KILN_INLINE double doubleTanh(double x) {
  double twice = 2 * abs(x);
  twice = twice > 44 ? 44 : twice;
  auto [part, n] = expm1Shifted(twice);
  double power = fromBits<double>(long(n + 1023) << 52), t = fma(power, part, power - 1);
  return __builtin_copysign(t * reciprocal(t + 2), x);
}

// asinh and acosh are log(x + root). The sum is 2^e (1 + f), and only selects e: f is computed from the terms. A square
// root of s starts with an approximation y of 1 / sqrt(s). With root = s y and e = 1 - root y, it is root + rest,
// rest = root e (1/2 + 3/8 e) = (s - root^2) y (1/2 + 3/8 e).

constexpr double Log2 = 0x1.62e42fefa39efp-1;
/// 2^-e for the result of doubleExponent.
KILN_INLINE double inversePower(int exponent) { return fromBits<double>(long(0x3ff00000 - exponent) << 32); }
KILN_INLINE double logOfParts(int exponent, double f) {
  return fma(exponentValue(exponent), Log2, doubleLogTail(f) + f);
}
/// log(x + root) for x from 2^500 on, where the root is x, and x for infinity and NaN.
KILN_INLINE double farArea(double x) { return x < __builtin_inf() ? logOfNormal(x) + Log2 : x; }

/// asinh(x) for x in [1/2, 2^500). The rest has the exact square.
KILN_INLINE double middleAsinh(double x) {
  double square = fma(x, x, 1.0), inverse = inverseRootUnit(square), root = square * inverse;
  double error = fma(-root, inverse, 1.0), remainder = fma(x, x, fma(-root, root, 1.0));
  double rest = remainder * inverse * fma(error, 0.375, 0.5);
  int exponent = doubleExponent(x + root);
  double scale = inversePower(exponent);
  return logOfParts(exponent, fma(rest, scale, fma(x, scale, fma(root, scale, -1.0))));
}
KILN_INLINE double doubleAsinh(double x) {
  double magnitude = abs(x), z = x * x, result;
  if (isWithin(magnitude, 0.5, 0x1p500))
    result = middleAsinh(magnitude);
  else if (isBelow(x, 0.5))
    result = fma(magnitude * z, horner(z, gpuAsinhTailOfDouble), magnitude);
  else
    result = farArea(magnitude);
  return __builtin_copysign(result, x);
}
KILN_INLINE double doubleAcosh(double x) {
  if (__builtin_expect(!isWithin(x, 1.0, 0x1p500), false))
    return x >= 1 ? farArea(x) : __builtin_nan("");
  double square = fma(x, x, -1.0);
  int upper = __builtin_elementwise_max(orderOf(square), 1 << 20); // the inverse root of zero is infinite
  double inverse = inverseRootUnit(fromBits<double>(long(upper) << 32)), start = square * inverse;
  double error = fma(-start, inverse, 1.0), root = fma(start * error, fma(error, 0.375, 0.5), start);
  int exponent = doubleExponent(x + root);
  double scale = inversePower(exponent);
  return logOfParts(exponent, fma(root, scale, fma(x, scale, -1.0)));
}

} // namespace

KILN_GPU_ONE(float, "sinh.f32", floatSinh)
KILN_GPU_ONE(float, "cosh.f32", floatCosh)
KILN_GPU_ONE(float, "tanh.f32", floatTanh)
KILN_GPU_ONE(float, "asinh.f32", floatAsinh)
KILN_GPU_ONE(float, "acosh.f32", floatAcosh)
KILN_GPU_ONE(float, "atanh.f32", floatAtanh)
KILN_GPU_ONE(double, "cosh.f64", doubleCosh)
KILN_GPU_ONE(double, "tanh.f64", doubleTanh)
KILN_GPU_ONE(double, "asinh.f64", doubleAsinh)
KILN_GPU_ONE(double, "acosh.f64", doubleAcosh)

} // namespace kiln::math
