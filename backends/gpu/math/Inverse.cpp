// Inverse trigonometric functions, of floats in radians and in multiples of pi. Arc sine and arc cosine are a
// polynomial up to 0.57; beyond, asin(x) = pi/2 - 2 asin(z) with z = sqrt((1 - x) / 2). Below 0.57 the rounding of
// asin(z) would be twice as large. Arc tangent is a polynomial up to 1, and beyond pi/2 - atan(1 / x).
#include "backends/cpu/math/Coefficients.h"
#include "backends/gpu/math/Coefficients.h"
#include "backends/gpu/math/Compare.h"
#include "backends/gpu/math/Hardware.h"
#include "backends/gpu/math/Instances.h"

namespace kiln::math {
namespace {

constexpr float HalfTurn = 0x1.921fb6p+1f, QuarterTurn = 0x1.921fb6p+0f, OverPi = 0x1.45f306p-2f;
constexpr float QuarterTurnLow = -0x1.777a5cp-25f;

KILN_INLINE bool isOuter(float x) { return abs(x) > 0.57f; }
/// asin(|x|), or asin(z).
KILN_INLINE float arcOf(float x) {
  bool outer = isOuter(x);
  float square = outer ? fma(abs(x), -0.5f, 0.5f) : x * x, root = outer ? sqrtUnit(square) : abs(x);
  return fma(root * square, horner(square, gpuAsinTail), root);
}
KILN_INLINE float floatAsin(float x) {
  float arc = arcOf(x);
  return __builtin_copysignf(isOuter(x) ? QuarterTurn + fma(arc, -2.0f, QuarterTurnLow) : arc, x);
}
KILN_INLINE float floatAsinpi(float x) {
  float arc = arcOf(x);
  return __builtin_copysignf(isOuter(x) ? fma(arc, -2 * OverPi, 0.5f) : arc * OverPi, x);
}
// acos(-x) = pi - acos(x)
KILN_INLINE float floatAcos(float x) {
  float arc = arcOf(x), angle = isOuter(x) ? arc + arc : QuarterTurn - arc;
  return x < 0 ? HalfTurn - angle : angle;
}
KILN_INLINE float floatAcospi(float x) {
  float arc = arcOf(x), part = isOuter(x) ? arc * (2 * OverPi) : fma(arc, -OverPi, 0.5f);
  return x < 0 ? 1 - part : part;
}

/// atan(|x|), or from 1 on atan(1 / |x|).
KILN_INLINE float slopeOf(float x) {
  float slope = abs(x) > 1 ? reciprocalUnit(abs(x)) : abs(x), z = slope * slope;
  return fma(slope * z, horner(z, atanTail<float>), slope);
}
KILN_INLINE float floatAtan(float x) {
  float angle = slopeOf(x);
  return __builtin_copysignf(abs(x) > 1 ? QuarterTurn - angle : angle, x);
}
KILN_INLINE float floatAtanpi(float x) {
  float part = slopeOf(x) * OverPi;
  return __builtin_copysignf(abs(x) > 1 ? 0.5f - part : part, x);
}

/// asin(|x|), or from 1/2 on asin(z) with z = sqrt((1 - |x|) / 2). NaN beyond 1, where the unit has the root of a
/// negative number.
struct DoubleArc {
  double angle;
  bool outer;
};
KILN_INLINE DoubleArc arcOf(double x) {
  bool outer = !isBelow(x, 0.5);
  double far = fma(abs(x), -0.5, 0.5), square = outer ? far : x * x, root = outer ? sqrtOfZeroOrNormal(far) : abs(x);
  return {fma(root * square, horner(square, gpuAsinTailOfDouble), root), outer};
}
KILN_INLINE double doubleAsin(double x) {
  auto [angle, outer] = arcOf(x);
  double far = fma(angle, -2.0, 0x1.1a62633145c07p-54) + 0x1.921fb54442d18p+0;
  return __builtin_copysign(outer ? far : angle, x);
}
KILN_INLINE double doubleAcos(double x) {
  auto [angle, outer] = arcOf(x);
  double start = outer ? x < 0 ? 0x1.921fb54442d18p+1 : 0 : 0x1.921fb54442d18p+0;
  double part = __builtin_copysign(angle, outer ? x : -x) * (outer ? 2.0 : 1.0);
  return fma(start, 0x1.678afae35cdd1p-55, part) + start; // the product is the rest of pi or pi/2
}
/// x / pi, with 1 / pi in two parts.
KILN_INLINE double overPi(double x) { return fma(x, 0x1.45f306dc9c883p-2, x * -0x1.6b01ec5417056p-56); }
KILN_INLINE double doubleAsinpi(double x) {
  auto [angle, outer] = arcOf(x);
  double part = overPi(angle);
  return __builtin_copysign(outer ? fma(part, -2.0, 0.5) : part, x);
}
KILN_INLINE double doubleAcospi(double x) {
  auto [angle, outer] = arcOf(x);
  double start = outer ? x < 0 ? 1 : 0 : 0.5, part = __builtin_copysign(overPi(angle), outer ? x : -x);
  return fma(part, outer ? 2.0 : 1.0, start);
}

KILN_INLINE double doubleAtan(double x) {
  bool outer = abs(x) > 1;
  double magnitude = abs(x) > 0x1p1000 ? 0x1p1000 : abs(x);
  double slope = outer ? reciprocal(magnitude) : magnitude, z = slope * slope;
  double angle = fma(slope * z, horner(z, atanTail<double>), slope);
  return __builtin_copysign(outer ? 0x1.921fb54442d18p+0 - (angle - 0x1.1a62633145c07p-54) : angle, x);
}

} // namespace

KILN_GPU_ONE(float, "asin.f32", floatAsin)
KILN_GPU_ONE(float, "acos.f32", floatAcos)
KILN_GPU_ONE(float, "atan.f32", floatAtan)
KILN_GPU_ONE(float, "asinpi.f32", floatAsinpi)
KILN_GPU_ONE(float, "acospi.f32", floatAcospi)
KILN_GPU_ONE(float, "atanpi.f32", floatAtanpi)
KILN_GPU_ONE(double, "asin.f64", doubleAsin)
KILN_GPU_ONE(double, "acos.f64", doubleAcos)
KILN_GPU_ONE(double, "asinpi.f64", doubleAsinpi)
KILN_GPU_ONE(double, "acospi.f64", doubleAcospi)
KILN_GPU_ONE(double, "atan.f64", doubleAtan)

} // namespace kiln::math
