// e^x, 2^x and 10^x, and e^x - 1 of doubles.
#include "backends/gpu/math/DoubleExp.h"
#include "backends/gpu/math/Exp.h"
#include "backends/gpu/math/Forms.h"

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

} // namespace

KILN_GPU_ONE(float, "exp.f32", floatExp)
KILN_GPU_ONE(float, "exp2.f32", floatExp2)
KILN_GPU_ONE(float, "exp10.f32", floatExp10)
KILN_GPU_ONE(double, "exp.f64", doubleExp)
KILN_GPU_ONE(double, "exp2.f64", doubleExp2)
KILN_GPU_ONE(double, "exp10.f64", doubleExp10)

} // namespace kiln::math
