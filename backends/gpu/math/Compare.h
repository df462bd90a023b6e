// Comparisons of doubles by instructions for floats or integers, which run at twice the rate or more.
#pragma once
#include "backends/cpu/math/Lanes.h"

namespace kiln::math {

/// The bits of a float, or the upper half of those of a double. Positive numbers have the order of these integers.
KILN_INLINE int orderOf(float x) { return bits(x); }
KILN_INLINE int orderOf(double x) { return int(bits(x) >> 32); }
/// Returns true if x is in [low, high), for positive limits. The lower 32 bits of doubles as limits are zero.
template <typename E> KILN_INLINE bool isWithin(E x, E low, E high) {
  return unsigned(orderOf(x) - orderOf(low)) < unsigned(orderOf(high) - orderOf(low));
}

/// Returns true if |x| is below a double whose lower 32 bits are zero. The upper halves of doubles have the order of
/// floats with their bits, and those of infinity and NaN are the bits of a NaN.
KILN_INLINE bool isBelow(double x, double limit) {
  return abs(fromBits<float>(orderOf(x))) < fromBits<float>(orderOf(limit));
}

} // namespace kiln::math
