// Functions of a number's exponent and of its neighbours. All are exact.
#include "backends/cpu/math/Forms.h"

namespace kiln::math {
namespace {

template <typename V> KILN_INLINE V logb(V x) {
  V result = fromInt<V>(normalise(x).exponent);
  result = select(x == V(0), -infinity<V>(), result);
  return select(abs(x) < infinity<V>(), result, x * x);
}

// OpenCL C's FP_ILOGB0 and FP_ILOGBNAN are the ends of an int.
template <typename V> KILN_INLINE Ints<V> ilogb(V x) {
  constexpr int largest = 0x7fffffff;
  Ints<V> result = select(x == V(0), Ints<V>(-largest - 1), normalise(x).exponent);
  return select(abs(x) < infinity<V>(), result, Ints<V>(largest));
}

// A normal result gets its exponent written in; one below is written 2^digits larger, and the product rounds it once.
template <typename V> KILN_INLINE V ldexp(V x, Ints<V> n) {
  using E = Element<V>;
  using Int = typename Format<E>::Int;
  constexpr int fraction = Format<E>::Fraction, bias = Format<E>::Bias, digits = fraction + 2, far = 3 * bias;
  auto [number, exponent] = normalise(x);
  n = select(n > Int(far), Ints<V>(far), select(n < Int(-far), Ints<V>(-far), n));
  Ints<V> wanted = exponent + n + bias; // as it will be written
  auto below = wanted <= 0;
  wanted += select(below, Ints<V>(digits), Ints<V>(0));
  wanted = select(wanted < 0, Ints<V>(0), wanted); // nothing is left of it
  V result = fromBits<V>((bits(number) & Ints<V>(~(Int(2 * bias + 1) << fraction))) | (wanted << fraction));
  result = select(below, result * E(1 / E(Int(1) << digits)), result);
  V over = withSign(infinity<V>(), signBit(x));
  result = select(wanted > Int(2 * bias), over, result);
  return select(both(abs(x) < infinity<V>(), x != V(0)), result, x + x);
}

template <typename V> KILN_INLINE V nextafter(V x, V y) {
  auto up = (bits(x) >= 0) == (y > x); // in magnitude
  Ints<V> moved = bits(x) + select(up, Ints<V>(1), Ints<V>(-1));
  V result = fromBits<V>(select(x == V(0), Ints<V>(1) | signBit(y), moved));
  result = select(x == y, y, result);
  return select(either(isNan(x), isNan(y)), x + y, result);
}

} // namespace

KILN_BOTH(KILN_FORM_ONE, logb)
KILN_BOTH(KILN_FORM_TO_INT, ilogb)
KILN_BOTH(KILN_FORM_INT, ldexp)
KILN_BOTH(KILN_FORM_TWO, nextafter)

} // namespace kiln::math
