// Double-double numbers, for exponents: the integer part of x takes digits from the precision of 2^x.
#pragma once
#include "backends/cpu/math/Coefficients.h"
#include "backends/cpu/math/Exp.h"
#include "backends/cpu/math/Lanes.h"
#include "backends/cpu/math/Log.h"

namespace kiln::math {

template <typename V> struct Pair {
  V high, low;
};
/// The sum of a larger and a smaller number, and its rounding error.
template <typename V> KILN_INLINE Pair<V> ordered(V large, V small) {
  V sum = large + small;
  return {sum, (large - sum) + small};
}

/// The base-2 logarithm of a magnitude. With s = f / (2 + f): 2 atanh(s) = s (2 + 2/3 s^2 + ...), the first two
/// coefficients and their terms in two parts.
template <typename D> KILN_INLINE Pair<D> log2InTwo(D magnitude) {
  auto [f, exponent] = logParts(magnitude);
  D sum = 2 + f, lost = (2 - sum) + f, inverse = 1 / sum;
  D s = f * inverse, product = s * sum;
  D sLow = ((f - product) - lostOf(product, s, sum) - s * lost) * inverse;
  D z = s * s, zLow = lostOf(z, s, s) + 2 * s * sLow;
  constexpr double first = 0x1.71547652b82fep1, firstLow = 0x1.777d0ffda0d24p-55;
  constexpr double second = 0x1.ec709dc3a03fdp-1, secondLow = 0x1.d27f05548af0cp-55;
  D term = z * second, termLow = lostOf(term, z, D(second)) + (zLow * second + z * secondLow);
  auto [tail, tailLow] = ordered(term, z * z * polynomial(z, log2Ratio<double>));
  auto [factor, factorLow] = ordered(D(first), tail);
  factorLow += tailLow + termLow + firstLow;
  D log = s * factor, logLow = lostOf(log, s, factor) + (s * factorLow + sLow * factor);
  auto [high, low] = ordered(fromInt<D>(exponent), log);
  high = select(magnitude == D(0), -infinity<D>(), high);
  return {select(magnitude < infinity<D>(), high, magnitude), low + logLow};
}

/// 2^(high + low). `low` is arbitrary if `high` is infinite or beyond the range of results.
template <typename D> KILN_INLINE D exp2OfPair(D high, D low) {
  low = select(abs(high) < D(1200), low, D(0));
  high = clamp(high, -1080, 1025);
  Ints<D> n;
  D rest = (high - nearest(high + Format<double>::Shifter, n)) + low;
  return scale(fma(rest, polynomial(rest, exp2Slope<double>), D(1)), n);
}

} // namespace kiln::math
