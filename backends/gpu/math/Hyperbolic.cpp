// Hyperbolic functions of floats, by the unit's 2^x. Small arguments of sinh and tanh have a polynomial, because the
// difference of exponentials loses digits.
#include "backends/gpu/math/Coefficients.h"
#include "backends/gpu/math/Exp.h"
#include "backends/gpu/math/Forms.h"

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

} // namespace

KILN_GPU_ONE(float, "sinh.f32", floatSinh)
KILN_GPU_ONE(float, "cosh.f32", floatCosh)
KILN_GPU_ONE(float, "tanh.f32", floatTanh)

} // namespace kiln::math
