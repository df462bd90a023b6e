// The sign and the special cases of pow, for every precision and every way to compute the power of a magnitude.
#pragma once
#include "backends/cpu/math/Lanes.h"

namespace kiln::math {

template <typename V> struct IntegerKind {
  Mask<V> whole, odd;
};
/// Finds out if an exponent is an integer, and if it is odd. If Format::Whole is added to a smaller integer, the last
/// bit of the sum is the integer's. Numbers from 2 * Format::Whole on are even.
template <typename V> KILN_INLINE IntegerKind<V> integerKind(V y) {
  constexpr Element<V> least = Format<Element<V>>::Whole;
  V magnitude = abs(y);
  auto fine = magnitude < V(least);
  V shifted = select(fine, magnitude + least, magnitude);
  auto whole = either(negate(fine), shifted - least == magnitude);
  return {whole, both(both(whole, magnitude < V(2 * least)), (bits(shifted) & 1) != 0)};
}

/// Applies pow's sign and special cases to the power of the magnitude.
template <typename V> KILN_INLINE V asPow(V x, V y, V power) {
  auto [whole, odd] = integerKind(y);
  auto negative = both(x<V(0), x> - infinity<V>());
  V result = select(both(negative, negate(whole)), nan<V>(), power);
  result = withSign(result, select(odd, signBit(x), Ints<V>(0)));
  auto one = either(either(y == V(0), x == V(1)), both(x == V(-1), abs(y) == infinity<V>()));
  return select(one, V(1), result);
}

} // namespace kiln::math
