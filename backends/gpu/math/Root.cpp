// Cube root and hypotenuse.
#include "backends/gpu/math/Hardware.h"
#include "backends/gpu/math/Instances.h"

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

// |x| = a 8^k with a in [1, 8). With r = a^(-1/3) from the units and e = 1 - a r^3, which is below 2^-18, the root of a
// is a r^2 (1 - e)^(-2/3).
KILN_INLINE double doubleCbrt(double x) {
  bool small = abs(x) < 0x1p-1022;
  long raw = bits(abs(small ? x * 0x1p54 : x));
  int exponent = int(raw >> 52), third = exponent * 0x5556 >> 16; // exponent / 3
  double a = fromBits<double>((raw & ((1l << 52) - 1)) | long(1023 + exponent - 3 * third) << 52);
  double r = exp2Unit(log2Unit(float(a)) * (-1.0f / 3)), y = a * (r * r);
  double e = fma(-y, r, 1.0);
  y = fma(y * e, fma(e, 5.0 / 9, 2.0 / 3), y);
  double root = fromBits<double>(bits(y) + (long(third - 341 - (small ? 18 : 0)) << 52));
  bool plain = x != 0 && abs(x) < __builtin_inf();
  return plain ? __builtin_copysign(root, x) : x;
}

// The exponents of both numbers are changed as for floats. The larger one decides if the result is zero or infinite.
KILN_INLINE double doubleHypot(double x, double y) {
  double large = __builtin_fmax(abs(x), abs(y));
  int exponent = int(bits(large) >> 32) & 0x7ff00000, least = 0x06000000;
  exponent = exponent < least ? least : exponent;
  double down = fromBits<double>(long(0x7ff00000 - exponent) << 32);
  double up = fromBits<double>(long(exponent - 0x00100000) << 32);
  x *= down, y *= down;
  double square = fma(x, x, y * y), result = sqrtOfNormal(square) * up;
  return large == __builtin_inf() ? large : square == 0 ? 0 : result;
}

} // namespace

KILN_GPU_ONE(float, "cbrt.f32", floatCbrt)
KILN_GPU_TWO(float, "hypot.f32", floatHypot)
KILN_GPU_ONE(double, "cbrt.f64", doubleCbrt)
KILN_GPU_TWO(double, "hypot.f64", doubleHypot)

} // namespace kiln::math
