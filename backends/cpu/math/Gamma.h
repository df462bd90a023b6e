// The gamma function and the logarithm of its magnitude, computed in doubles (type D). E is the result's type; for
// float the polynomials have fewer terms.
#pragma once
#include "backends/cpu/math/Exp.h"
#include "backends/cpu/math/Log.h"
#include "backends/cpu/math/Pair.h"
#include "backends/cpu/math/Trig.h"

namespace kiln::math {

inline constexpr double Ln2 = 0x1.62e42fefa39efp-1, HalfLogTwoPi = 0x1.d67f1c864beb5p-1;

template <typename E, typename D> KILN_INLINE D naturalLog(D x) {
  if constexpr (sizeof(E) == 4)
    return roughLog2(x) * Ln2;
  else
    return logOf(logParts(x));
}

/// The correction in Stirling's formula: log gamma(x) = (x - 1/2) log x - x + log(2 pi) / 2 + correction, for x >= 3.
template <typename E, typename D> KILN_INLINE D stirlingCorrection(D x) {
  D inverse = 1 / x;
  return polynomial(inverse * inverse, stirlingTail<E>) * inverse;
}
/// gamma(x + error) * 2^offset, or with `inverse` 2^offset / gamma(x + error), for x >= 3, from the base-2 logarithm.
/// `error` is corrected to first order with the derivative of log gamma, which is about log x - 1 / (2 x).
template <typename E, typename D> KILN_INLINE D stirlingPower(D x, D error, Mask<D> inverse, D offset) {
  D rest = (stirlingCorrection<E>(x) + HalfLogTwoPi) * Log2OfE, power = x - 0.5;
  if constexpr (sizeof(E) == 4) {
    D log = fma(power, roughLog2(x), rest - x * Log2OfE);
    return roughExp2(select(inverse, -log, log) + offset);
  } else {
    auto [log, logLow] = log2Pair(x);
    D rising = power * log, risingLow = productError(rising, power, log) + power * logLow;
    D falling = x * Log2OfE, fallingLow = productError(falling, x, D(Log2OfE)) + x * 0x1.777d0ffda0d24p-56;
    D high = rising - falling, back = high - rising; // two-sum: either may be larger
    D low = (rising - (high - back)) - (falling + back) + (risingLow - fallingLow) + rest;
    low += error * (log - 0.5 * Log2OfE / x);
    auto [sum, sumLow] = fastTwoSum(select(inverse, -high, high) + offset, select(inverse, -low, low));
    return exp2OfPair(sum, sumLow);
  }
}

// x < 1/2: reflection, gamma(x) = pi / (sin(pi x) gamma(1 - x)). Arguments of Stirling's formula below 3: three steps
// of gamma(x) = gamma(x + 1) / x. For x < -130 the inverse is scaled up by 2^200, so that only the last multiplication
// may round to a subnormal.
template <typename V> KILN_INLINE V tgamma(V x) {
  using E = Element<V>;
  using D = Doubles<V>;
  D wide = convert<D>(x);
  auto left = wide < D(0.5), far = wide < D(-130);
  D mirrored = 1 - wide, taken = mirrored - 1; // two-sum: either may be larger
  D z = select(left, mirrored, wide), error = select(left, (1 - (mirrored - taken)) - (wide + taken), D(0));
  z = select(z > D(200), D(200), z); // beyond, the result overflows or underflows
  auto low = z < D(3);
  auto [up, upError] = fastTwoSum(D(3), z);
  D y = select(low, up, z), steps = select(low, z * (z + 1) * (z + 2), D(1));
  error += select(low, upError, D(0));
  D power = stirlingPower<E>(y, error, left, select(far, D(200), D(0)));
  D sine = sinpi(wide);
  D result = select(left, 0x1.921fb54442d18p+1 * steps * power, power) / select(left, sine, steps);
  result *= select(far, D(0x1p-200), D(1));
  result = select(both(wide < D(0), sine == D(0)), nan<D>(), result);
  return convert<V>(select(wide == infinity<D>(), wide, result));
}

// log gamma(x) for x >= 0. [1, 3]: (x - 1) (x - 2) times a polynomial, which is precise near the zeros at 1 and 2.
// Below 1: log gamma(x) = log gamma(x + 1) - log x. Above 3: Stirling's formula.
template <typename E, typename D> KILN_INLINE D logGammaOfPositive(D x) {
  auto below = x<D(1), far = x> D(3);
  D log = naturalLog<E>(select(either(below, far), x, D(1)));
  D y = select(below, x + 1, select(far, D(3), x));
  D first = select(below, x, y - 1), second = select(below, x - 1, y - 2); // computed from x, so both are exact
  D near = first * second * polynomial(y - 2, logGammaMiddle<E>) +
           (0 - log); // 0 - log: the zeros of the result are positive
  D stirling = fma(x - 0.5, log, stirlingCorrection<E>(x) - x) + HalfLogTwoPi;
  // For large x: x (log x - 1), which overflows only if the result does.
  stirling = select(x > D(0x1p60), x * (log - 1), stirling);
  return select(far, stirling, near);
}
template <typename V> KILN_INLINE V lgamma(V x) {
  using E = Element<V>;
  using D = Doubles<V>;
  D wide = convert<D>(x), result = logGammaOfPositive<E>(abs(wide));
  auto left = x < V(0);
  if (any(left)) { // gamma(x) gamma(-x) = -pi / (x sin(pi x))
    D sine = abs(sinpi(wide)), product = abs(wide) * sine;
    D reflected = naturalLog<E>(select(sine > D(0), 0x1.921fb54442d18p+1 / product, D(1))) - result;
    // For tiny x the quotient is infinite.
    reflected = select(abs(wide) < D(0x1p-300), result, reflected);
    reflected = select(sine > D(0), reflected, infinity<D>());
    result = select(wide < D(0), reflected, result);
  }
  V narrow = convert<V>(result);
  narrow = select(either(x == V(0), abs(x) == infinity<V>()), infinity<V>(), narrow);
  return select(isNan(x), x, narrow);
}

} // namespace kiln::math
