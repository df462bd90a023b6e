// Double-double numbers for exponents. In 2^x, the absolute error of x is the relative error of the result, and a large
// integer part of x leaves fewer fraction bits.
#pragma once
#include "backends/cpu/math/Coefficients.h"
#include "backends/cpu/math/Exp.h"
#include "backends/cpu/math/Lanes.h"
#include "backends/cpu/math/Log.h"

namespace kiln::math {

template <typename V> struct Pair {
  V high, low;
};
/// Dekker's Fast2Sum: the sum and its exact rounding error. |large| must be at least |small|.
template <typename V> KILN_INLINE Pair<V> fastTwoSum(V large, V small) {
  V sum = large + small;
  return {sum, (large - sum) + small};
}

/// The base-2 logarithm of a magnitude. With s = f / (2 + f): log(1 + f) = 2 atanh(s) = s (2 + 2/3 s^2 + ...). The
/// first two coefficients, divided by ln 2, and their terms are pairs.
template <typename D> KILN_INLINE Pair<D> log2Pair(D magnitude) {
  auto [f, exponent] = logParts(magnitude);
  D sum = 2 + f, lost = (2 - sum) + f, inverse = 1 / sum;
  D s = f * inverse, product = s * sum;
  D sLow = ((f - product) - productError(product, s, sum) - s * lost) * inverse;
  D z = s * s, zLow = productError(z, s, s) + 2 * s * sLow;
  constexpr double first = 0x1.71547652b82fep1, firstLow = 0x1.777d0ffda0d24p-55;
  constexpr double second = 0x1.ec709dc3a03fdp-1, secondLow = 0x1.d27f05548af0cp-55;
  D term = z * second, termLow = productError(term, z, D(second)) + (zLow * second + z * secondLow);
  auto [tail, tailLow] = fastTwoSum(term, z * z * polynomial(z, log2Ratio<double>));
  auto [factor, factorLow] = fastTwoSum(D(first), tail);
  factorLow += tailLow + termLow + firstLow;
  D log = s * factor, logLow = productError(log, s, factor) + (s * factorLow + sLow * factor);
  auto [high, low] = fastTwoSum(fromInt<D>(exponent), log);
  high = select(magnitude == D(0), -infinity<D>(), high);
  return {select(magnitude < infinity<D>(), high, magnitude), low + logLow};
}

/// 2^(high + low). `low` is arbitrary if `high` is infinite or beyond the range of results.
template <typename D> KILN_INLINE D exp2OfPair(D high, D low) {
  low = select(abs(high) < D(1200), low, D(0));
  high = clamp(high, -1080, 1025);
  Ints<D> n;
  D whole = nearest(high + Format<double>::Shifter, n), rest = (high - whole) + low;
  return scale(fma(rest, polynomial(rest, exp2Slope<double>), D(1)), whole, n);
}

} // namespace kiln::math
