// Exact remainders (fmod, remainder). The quotient of both, by the unit, has an absolute error below 1/2 if it is below
// 2^20 (float) or 2^18 (double). Then the difference of x and the nearest integer's product with y is exact:
// |rest| <= 3/4 |y|. Other arguments go to the CPU's functions of doubles, which take more than one step. Each float is
// a double, and so is each remainder of two floats.
#include "backends/cpu/math/Remainder.h"
#include "backends/gpu/math/Hardware.h"
#include "backends/gpu/math/Instances.h"

namespace kiln::math {
namespace {

template <typename E> [[gnu::cold, gnu::noinline]] E farFmod(E x, E y) { return E(fmod(double(x), double(y))); }
template <typename E> [[gnu::cold, gnu::noinline]] E farRemainder(E x, E y) {
  return E(remainder(double(x), double(y)));
}

template <typename E> struct UnitDivision {
  E rest;    // |x| - n |y|, in [-3/4 |y|, 3/4 |y|]
  int n;     // only its last bit is meaningful
  bool good; // false: the other members are not meaningful
};
template <typename E> KILN_INLINE UnitDivision<E> divideByUnit(E x, E y) {
  constexpr E shifter = Format<E>::Shifter, limit = sizeof(E) == 4 ? 0x1p20 : 0x1p18;
  E inverse = reciprocalUnit(abs(y)), ratio = abs(x) * inverse;
  E shifted = ratio + shifter, rest = fma(-abs(y), shifted - shifter, abs(x));
  return {rest, int(bits(shifted)), ratio < limit && inverse > 0};
}

template <typename E> KILN_INLINE E quickFmod(E x, E y) {
  auto [rest, n, good] = divideByUnit(x, y);
  if (__builtin_expect(!good, false))
    return farFmod(x, y);
  return withSign(rest < 0 ? rest + abs(y) : rest, signBit(x));
}
// The quotient is rounded to nearest even.
template <typename E> KILN_INLINE E quickRemainder(E x, E y) {
  auto [rest, n, good] = divideByUnit(x, y);
  if (__builtin_expect(!good, false))
    return farRemainder(x, y);
  E twice = 2 * abs(rest);
  bool over = twice > abs(y) || (twice == abs(y) && (n & 1));
  return withSign(over ? rest - __builtin_elementwise_copysign(abs(y), rest) : rest, signBit(x));
}

} // namespace

KILN_GPU_TWO(float, "fmod.f32", quickFmod)
KILN_GPU_TWO(float, "remainder.f32", quickRemainder)
KILN_GPU_TWO(double, "fmod.f64", quickFmod)
KILN_GPU_TWO(double, "remainder.f64", quickRemainder)

} // namespace kiln::math
