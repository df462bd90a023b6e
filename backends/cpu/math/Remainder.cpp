// Exact remainders of a division. Each step subtracts the largest integer multiple of the divisor times a power of two
// such that the quotient fits a number's precision: nearly always one step, about 40 at worst.
#include "backends/cpu/math/Forms.h"

namespace kiln::math {
namespace {

template <typename V> struct Division {
  V rest;      // in [0, divisor)
  Mask<V> odd; // the last bit of the quotient
};

/// For a finite dividend and a nonzero divisor, both nonnegative.
template <typename V> KILN_INLINE Division<V> divide(V dividend, V divisor) {
  using E = Element<V>;
  using Int = typename Format<E>::Int;
  constexpr int fraction = Format<E>::Fraction, step = fraction - 2;
  V rest = dividend;
  Ints<V> odd = Ints<V>(0), least = normalise(divisor).exponent;
  auto more = rest >= divisor;
  while (any(more)) {
    Ints<V> gap = normalise(rest).exponent - least - step;
    gap = select(gap > 0, select(gap > Int(2 * Format<E>::Bias), Ints<V>(2 * Format<E>::Bias), gap), Ints<V>(0));
    V part = divisor * powerOfTwo<V>(gap >> 1) * powerOfTwo<V>(gap - (gap >> 1));
    V ratio = rest / part;
    // The truncated quotient; it is one too large if the ratio was rounded up to an integer.
    V quotient = (ratio + Format<E>::Whole) - Format<E>::Whole;
    quotient = select(quotient > ratio, quotient - 1, quotient);
    // With a quotient that is one too large the product may overflow.
    V down = select(rest > V(E(0.25) / Format<E>::SmallestNormal), V(E(0.25)), V(1));
    V product = quotient * (part * down);
    V next = ((rest * down - product) - lostOf(product, quotient, part * down)) / down;
    auto over = next < V(0);
    quotient = select(over, quotient - 1, quotient);
    next = select(over, next + part, next);
    Ints<V> last = bits(quotient + Format<E>::Whole) & 1;
    rest = select(more, next, rest);
    odd = select(more, select(gap > 0, Ints<V>(0), last), odd);
    more = rest >= divisor;
  }
  return {rest, odd != 0};
}

template <typename V> struct Usable {
  V x, y;
  Mask<V> good;
};
/// Replaces arguments without a remainder by arbitrary valid ones.
template <typename V> KILN_INLINE Usable<V> usable(V x, V y) {
  V dividend = abs(x), divisor = abs(y);
  auto good = both(dividend<infinity<V>(), divisor> V(0));
  return {select(good, dividend, V(0)), select(good, divisor, V(1)), good};
}

template <typename V> KILN_INLINE V fmod(V x, V y) {
  auto [dividend, divisor, good] = usable(x, y);
  return select(good, withSign(divide(dividend, divisor).rest, signBit(x)), nan<V>());
}

template <typename V> KILN_INLINE V remainder(V x, V y) {
  auto [dividend, divisor, good] = usable(x, y);
  auto [rest, odd] = divide(dividend, divisor);
  // Rounds the quotient up if the rest exceeds half of the divisor, or is half and the quotient is odd. The difference
  // is exact.
  V other = divisor - rest;
  auto up = either(rest > other, both(rest == other, odd));
  return select(good, withSign(select(up, -other, rest), signBit(x)), nan<V>());
}

} // namespace

KILN_BOTH(KILN_FORM_TWO, fmod)
KILN_BOTH(KILN_FORM_TWO, remainder)

} // namespace kiln::math
