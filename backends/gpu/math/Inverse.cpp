// Arc sine and arc cosine of floats. Up to 1/2 they are a polynomial; beyond, asin(x) = pi/2 - 2 asin(z) with
// z = sqrt((1 - x) / 2).
#include "backends/cpu/math/Coefficients.h"
#include "backends/gpu/math/Coefficients.h"
#include "backends/gpu/math/Forms.h"
#include "backends/gpu/math/Hardware.h"

namespace kiln::math {
namespace {

constexpr float HalfTurn = 0x1.921fb6p+1f, QuarterTurn = 0x1.921fb6p+0f, QuarterTurnLow = -0x1.777a5cp-25f;

KILN_INLINE float arcOf(float root, float square) { return fma(root * square, horner(square, asinTail<float>), root); }

KILN_INLINE float floatAsin(float x) {
  bool outer = abs(x) > 0.5f;
  float square = outer ? fma(abs(x), -0.5f, 0.5f) : x * x;
  float arc = arcOf(outer ? sqrtUnit(square) : x, square);
  return outer ? __builtin_copysignf(QuarterTurn + fma(arc, -2.0f, QuarterTurnLow), x) : arc;
}
// The root has the sign of -x, so that the result is 0 + 2 asin(z) or pi - 2 asin(z).
KILN_INLINE float floatAcos(float x) {
  bool outer = abs(x) > 0.5f;
  float square = outer ? fma(abs(x), -0.5f, 0.5f) : x * x;
  float arc = arcOf(outer ? __builtin_copysignf(sqrtUnit(square), -x) : x, square);
  float start = outer ? x < 0 ? HalfTurn : 0 : QuarterTurn;
  return fma(arc, outer ? -2.0f : -1.0f, start);
}

} // namespace

KILN_GPU_ONE(float, "asin.f32", floatAsin)
KILN_GPU_ONE(float, "acos.f32", floatAcos)

} // namespace kiln::math
