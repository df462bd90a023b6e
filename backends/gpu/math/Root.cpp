// Cube root and hypotenuse of floats.
#include "backends/gpu/math/Forms.h"
#include "backends/gpu/math/Hardware.h"

namespace kiln::math {
namespace {

// r = |x|^(-1/3) from the units has a relative error e of up to 2^-16. y = x r^2 has the error 2 e, and 1 - |y| r is
// 3 e without its small terms. y has the sign of x; it is NaN if x is zero, infinite or NaN.
KILN_INLINE float floatCbrt(float x) {
  float r = exp2Unit(log2Any(abs(x)) * (-1.0f / 3));
  float y = x * (r * r);
  y = fma(y * (2.0f / 3), fma(-abs(y), r, 1.0f), y);
  return isNan(y) ? x : y;
}

// Both numbers are scaled by the power of two that brings the larger one into [2, 4).
KILN_INLINE float floatHypot(float x, float y) {
  float large = __builtin_fmaxf(abs(x), abs(y)); // infinite if the other is NaN
  int exponent = bits(large) & 0x7f800000, least = 0x0d800000;
  exponent = exponent < least ? least : exponent;
  float down = fromBits<float>(0x7f800000 - exponent), up = fromBits<float>(exponent - 0x00800000);
  x *= down, y *= down;
  float result = sqrtUnit(fma(x, x, y * y)) * up;
  return large == __builtin_inff() ? large : result;
}

} // namespace

KILN_GPU_ONE(float, "cbrt.f32", floatCbrt)
KILN_GPU_TWO(float, "hypot.f32", floatHypot)

} // namespace kiln::math
