// ldexp: x * 2^n, rounded once.
#include "backends/cpu/math/Instances.h"

namespace kiln::math {
namespace {

// Writes the exponent field of a normal result. A subnormal result is formed 2^digits too large, and the multiplication
// by 2^-digits rounds it once.
template <typename V> KILN_INLINE V ldexp(V x, Ints<V> n) {
  using E = Element<V>;
  using Int = typename Format<E>::Int;
  constexpr int fraction = Format<E>::Fraction, bias = Format<E>::Bias, digits = fraction + 2, far = 3 * bias;
  auto [number, exponent] = normalise(x);
  n = select(n > Int(far), Ints<V>(far), select(n < Int(-far), Ints<V>(-far), n));
  Ints<V> wanted = exponent + n + bias; // the biased exponent
  auto below = wanted <= 0;
  wanted += select(below, Ints<V>(digits), Ints<V>(0));
  wanted = select(wanted < 0, Ints<V>(0), wanted); // the result is zero
  V result = fromBits<V>((bits(number) & Ints<V>(~(Int(2 * bias + 1) << fraction))) | (wanted << fraction));
  result = select(below, result * E(1 / E(Int(1) << digits)), result);
  V over = withSign(infinity<V>(), signBit(x));
  result = select(wanted > Int(2 * bias), over, result);
  return select(both(abs(x) < infinity<V>(), x != V(0)), result, x + x);
}

} // namespace

KILN_BOTH(KILN_INSTANCE_INT, ldexp)

} // namespace kiln::math
