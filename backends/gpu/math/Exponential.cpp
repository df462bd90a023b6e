// e^x, 2^x and 10^x, and e^x - 1 of doubles.
#include "backends/gpu/math/DoubleExp.h"
#include "backends/gpu/math/Exp.h"
#include "backends/gpu/math/Instances.h"

namespace kiln::math {
namespace {

KILN_INLINE float floatExp(float x) {
  auto [part, scale] = expScaled(x);
  return part * scale;
}
KILN_INLINE float floatExp10(float x) {
  auto [part, scale] = exp2Scaled(x, Log2Of10High, Log2Of10Low);
  return part * scale;
}
KILN_INLINE float floatExp2(float x) { return exp2Any(x); }

KILN_INLINE double doubleExp(double x) {
  ShiftedDouble y = expShifted(x);
  if (__builtin_expect(isBelow(x, 708), true))
    return normalValue(y);
  return anyValue(y, x, 750);
}
KILN_INLINE double doubleExp2(double x) {
  ShiftedDouble y = exp2Shifted(x);
  if (__builtin_expect(isBelow(x, 1021), true))
    return normalValue(y);
  return anyValue(y, x, 1100);
}
KILN_INLINE double doubleExp10(double x) {
  ShiftedDouble y = exp10Shifted(x);
  if (__builtin_expect(isBelow(x, 307), true))
    return normalValue(y);
  return anyValue(y, x, 330);
}

/// 2^n (1 + part) - 1 as 2^n part + (2^n - 1), and for large x as twice half of it, which is finite for every n.
KILN_INLINE double doubleExpm1(double x) {
  auto [part, n] = expm1Shifted(x);
  double power = fromBits<double>(long(n + 1023) << 52), result = fma(power, part, power - 1);
  if (__builtin_expect(!isBelow(x, 708), false)) {
    power = fromBits<double>(long(n + 1022) << 52);
    result = 2 * fma(power, part, power - 0.5);
    result = x < -708 ? -1 : x > 710 ? __builtin_inf() : result;
  }
  return __builtin_copysign(result, x);
}

} // namespace

KILN_GPU_ONE(float, "exp.f32", floatExp)
KILN_GPU_ONE(float, "exp2.f32", floatExp2)
KILN_GPU_ONE(float, "exp10.f32", floatExp10)
KILN_GPU_ONE(double, "exp.f64", doubleExp)
KILN_GPU_ONE(double, "exp2.f64", doubleExp2)
KILN_GPU_ONE(double, "exp10.f64", doubleExp10)
KILN_GPU_ONE(double, "expm1.f64", doubleExpm1)

} // namespace kiln::math
