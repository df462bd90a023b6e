// The error function and its complement. erf up to 1: x + x p(x^2); beyond: 1 - 2^(-x q(x)).
#include "backends/gpu/math/Coefficients.h"
#include "backends/gpu/math/DoubleExp.h"
#include "backends/gpu/math/Exp.h"
#include "backends/gpu/math/Instances.h"

namespace kiln::math {
namespace {

KILN_INLINE float floatErf(float x) {
  float magnitude = abs(x);
  float near = fma(x, horner(x * x, gpuErfNear), x);
  float far = 1 - exp2Unit(-magnitude * horner(magnitude, gpuErfFar));
  far = __builtin_copysignf(magnitude < 4 ? far : 1, x);
  return magnitude > 1 ? far : near; // near for NaN
}

// e^(-x^2) p(t) / (1 + 2 x), where the square has two parts. Only the last product rounds to a subnormal number.
KILN_INLINE float floatErfc(float x) {
  float magnitude = abs(x);
  magnitude = magnitude > 11 ? 11 : magnitude; // beyond, the result is zero
  float square = magnitude * magnitude, low = fma(magnitude, magnitude, -square);
  float t = (magnitude - 2) * reciprocalUnit(magnitude + 2);
  float ratio = horner(t, gpuErfcRatio) * reciprocalUnit(fma(magnitude, 2.0f, 1.0f));
  auto [part, scale] = expScaled(-square);
  float result = fma(-low, part, part) * ratio * scale;
  return x < 0 ? 2 - result : result;
}

// For doubles a branch is faster than both polynomials.
KILN_INLINE double doubleErf(double x) {
  if (!(abs(x) > 1))
    return fma(x, horner(x * x, erfTail<double>), x);
  double magnitude = abs(x) > 6 ? 6 : abs(x);
  double power = normalValue(exp2Shifted(-magnitude * horner(magnitude, gpuErfFarOfDouble)));
  return __builtin_copysign(1 - power, x);
}
// As that of floats, with one reciprocal for both quotients.
KILN_INLINE double doubleErfc(double x) {
  double magnitude = abs(x) > 28 ? 28 : abs(x);
  double sum = magnitude + 2, divisor = fma(magnitude, 2.0, 1.0), inverse = reciprocal(sum * divisor);
  double t = (magnitude - 2) * (divisor * inverse), ratio = horner(t, erfcRatio<double>) * (sum * inverse);
  double square = magnitude * magnitude, low = fma(magnitude, magnitude, -square);
  ShiftedDouble power = expShifted(-square);
  power.value = fma(-low, power.value, power.value) * ratio;
  double result = magnitude < 26 ? normalValue(power) : anyValue(power, -square, 800);
  return x < 0 ? 2 - result : result;
}

} // namespace

KILN_GPU_ONE(float, "erf.f32", floatErf)
KILN_GPU_ONE(float, "erfc.f32", floatErfc)
KILN_GPU_ONE(double, "erf.f64", doubleErf)
KILN_GPU_ONE(double, "erfc.f64", doubleErfc)

} // namespace kiln::math
