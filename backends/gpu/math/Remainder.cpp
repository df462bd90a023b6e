// Exact remainders of floats (fmod, remainder). The quotient of both, by the unit, has an absolute error below 1/2 if
// it is below 2^20. Then the difference of x and the nearest integer's product with y fits a float: |rest| <= 3/4 y.
// Other arguments go to the CPU's function, which takes more than one step.
#include "backends/gpu/math/Forms.h"
#include "backends/gpu/math/Hardware.h"

namespace kiln::math {

// The CPU's functions of doubles. Each float is a double, and so is each remainder of two floats.
double fmodOfDoubles(double x, double y) __asm__("kiln.math.fmod.f64");
double remainderOfDoubles(double x, double y) __asm__("kiln.math.remainder.f64");

namespace {

[[gnu::cold, gnu::noinline]] float farFmod(float x, float y) { return float(fmodOfDoubles(x, y)); }
[[gnu::cold, gnu::noinline]] float farRemainder(float x, float y) { return float(remainderOfDoubles(x, y)); }

struct FloatDivision {
  float rest; // |x| - n |y|, in [-3/4 |y|, 3/4 |y|]
  int n;      // only its last bit is meaningful
  bool good;  // false: the other members are not meaningful
};
KILN_INLINE FloatDivision divideFloat(float x, float y) {
  constexpr float shifter = 0x1.8p23f;
  float inverse = reciprocalUnit(abs(y)), ratio = abs(x) * inverse;
  float shifted = ratio + shifter, rest = fma(-abs(y), shifted - shifter, abs(x));
  return {rest, bits(shifted), ratio < 0x1p20f && inverse > 0};
}

KILN_INLINE float floatFmod(float x, float y) {
  auto [rest, n, good] = divideFloat(x, y);
  if (__builtin_expect(!good, false))
    return farFmod(x, y);
  return withSign(rest < 0 ? rest + abs(y) : rest, signBit(x));
}
// The quotient is rounded to nearest even.
KILN_INLINE float floatRemainder(float x, float y) {
  auto [rest, n, good] = divideFloat(x, y);
  if (__builtin_expect(!good, false))
    return farRemainder(x, y);
  float twice = 2 * abs(rest);
  bool over = twice > abs(y) || (twice == abs(y) && (n & 1));
  return withSign(over ? rest - __builtin_copysignf(abs(y), rest) : rest, signBit(x));
}

} // namespace

KILN_GPU_TWO(float, "fmod.f32", floatFmod)
KILN_GPU_TWO(float, "remainder.f32", floatRemainder)

} // namespace kiln::math
