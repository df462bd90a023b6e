// Exact remainders (fmod, remainder). Each step subtracts an integer multiple of divisor * 2^gap from the rest. The gap
// is chosen so that the integer has at most Fraction bits and the product is exact. One step suffices if x / y is below
// 2^(Fraction - 2); for doubles, about 40 steps at worst.
#pragma once
#include "backends/cpu/math/Lanes.h"

namespace kiln::math {

template <typename V> struct Division {
  V rest;      // in [0, divisor)
  Mask<V> odd; // the integer quotient is odd
};

/// The dividend must be finite, the divisor not zero, and both nonnegative.
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
    // The truncated quotient. It is 1 too large if the division was rounded up to an integer; corrected below.
    V quotient = (ratio + Format<E>::Whole) - Format<E>::Whole;
    quotient = select(quotient > ratio, quotient - 1, quotient);
    // If the quotient is 1 too large, its product with `part` may overflow: large operands are scaled by 1/4.
    auto isLarge = rest > V(E(0.25) / Format<E>::SmallestNormal);
    V down = select(isLarge, V(E(0.25)), V(1)), up = select(isLarge, V(4), V(1));
    V product = quotient * (part * down);
    V next = ((rest * down - product) - productError(product, quotient, part * down)) * up;
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
/// Replaces arguments that have no remainder (infinite x, zero y, NaN) by valid ones. `good`: none was replaced.
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
  // Rounds the quotient to nearest even: up if the rest exceeds half of the divisor, or is half of it and the quotient
  // is odd. divisor - rest is exact in these cases.
  V other = divisor - rest;
  auto up = either(rest > other, both(rest == other, odd));
  return select(good, withSign(select(up, -other, rest), signBit(x)), nan<V>());
}

} // namespace kiln::math
