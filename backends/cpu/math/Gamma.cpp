// The gamma function and the logarithm of its magnitude, computed in doubles. E is the result's type: fewer terms
// suffice for float.
#include "backends/cpu/math/Exp.h"
#include "backends/cpu/math/Forms.h"
#include "backends/cpu/math/Log.h"
#include "backends/cpu/math/Pair.h"
#include "backends/cpu/math/Trig.h"

namespace kiln::math {
namespace {

constexpr double Ln2 = 0x1.62e42fefa39efp-1, Pi = 0x1.921fb54442d18p+1, HalfLogOfTurn = 0x1.d67f1c864beb5p-1;

template <typename E, typename D> KILN_INLINE D naturalLog(D x) {
  if constexpr (sizeof(E) == 4)
    return roughLog2(x) * Ln2;
  else
    return logOf(logParts(x));
}

/// The correction of Stirling's formula: log gamma(x) = (x - 1/2) log x - x + log(2 pi) / 2 + correction, for x >= 3.
template <typename E, typename D> KILN_INLINE D stirlingRest(D x) {
  D inverse = 1 / x;
  return polynomial(inverse * inverse, stirlingTail<E>) * inverse;
}
/// gamma(x + lost) * 2^offset, or its inverse, for x >= 3, by the base-2 logarithm. `lost` contributes to first order,
/// by the slope of log gamma, which is about log x - 1 / (2 x).
template <typename E, typename D> KILN_INLINE D stirlingPower(D x, D lost, Mask<D> inverse, D offset) {
  D rest = (stirlingRest<E>(x) + HalfLogOfTurn) * Log2OfE, power = x - 0.5;
  if constexpr (sizeof(E) == 4) {
    D log = fma(power, roughLog2(x), rest - x * Log2OfE);
    return roughExp2(select(inverse, -log, log) + offset);
  } else {
    auto [log, logLow] = log2InTwo(x);
    D rising = power * log, risingLow = lostOf(rising, power, log) + power * logLow;
    D falling = x * Log2OfE, fallingLow = lostOf(falling, x, D(Log2OfE)) + x * 0x1.777d0ffda0d24p-56;
    D high = rising - falling, back = high - rising; // either may be larger
    D low = (rising - (high - back)) - (falling + back) + (risingLow - fallingLow) + rest;
    low += lost * (log - 0.5 * Log2OfE / x);
    auto [sum, sumLow] = ordered(select(inverse, -high, high) + offset, select(inverse, -low, low));
    return exp2OfPair(sum, sumLow);
  }
}

// Negative x by reflection, gamma(x) = pi / (sin(pi x) gamma(1 - x)); x < 3 by three steps of
// gamma(x) = gamma(x + 1) / x. For large negative x the inverse is scaled up, so that only the last step may round to a
// subnormal number.
template <typename V> KILN_INLINE V tgamma(V x) {
  using E = Element<V>;
  using D = Doubles<V>;
  D wide = convert<D>(x);
  auto left = wide < D(0.5), far = wide < D(-130);
  D mirrored = 1 - wide, taken = mirrored - 1; // either may be larger
  D z = select(left, mirrored, wide), lost = select(left, (1 - (mirrored - taken)) - (wide + taken), D(0));
  z = select(z > D(200), D(200), z); // beyond, the result overflows or underflows
  auto low = z < D(3);
  auto [up, upLost] = ordered(D(3), z);
  D y = select(low, up, z), steps = select(low, z * (z + 1) * (z + 2), D(1));
  lost += select(low, upLost, D(0));
  D power = stirlingPower<E>(y, lost, left, select(far, D(200), D(0)));
  D sine = sinpi(wide);
  D result = select(left, Pi * steps * power, power) / select(left, sine, steps);
  result *= select(far, D(0x1p-200), D(1));
  result = select(both(wide < D(0), sine == D(0)), nan<D>(), result);
  return convert<V>(select(wide == infinity<D>(), wide, result));
}

// For positive numbers: around the zeros at one and two (x - 1) (x - 2) times a polynomial, extended towards zero by
// log gamma(x) = log gamma(x + 1) - log x; for x >= 3 Stirling's formula.
template <typename E, typename D> KILN_INLINE D logGammaRight(D x) {
  auto below = x<D(1), far = x> D(3);
  D log = naturalLog<E>(select(either(below, far), x, D(1)));
  D y = select(below, x + 1, select(far, D(3), x));
  D first = select(below, x, y - 1), second = select(below, x - 1, y - 2);    // from x, which is exact
  D near = first * second * polynomial(y - 2, logGammaMiddle<E>) + (0 - log); // the zeros are positive
  D stirling = fma(x - 0.5, log, stirlingRest<E>(x) - x) + HalfLogOfTurn;
  // For large x: x (log x - 1), which is finite wherever the result is.
  stirling = select(x > D(0x1p60), x * (log - 1), stirling);
  return select(far, stirling, near);
}
template <typename V> KILN_INLINE V lgamma(V x) {
  using E = Element<V>;
  using D = Doubles<V>;
  D wide = convert<D>(x), result = logGammaRight<E>(abs(wide));
  auto left = x < V(0);
  if (any(left)) { // gamma(x) gamma(-x) = -pi / (x sin(pi x))
    D sine = abs(sinpi(wide)), product = abs(wide) * sine;
    D reflected = naturalLog<E>(select(sine > D(0), Pi / product, D(1))) - result;
    // For tiny x the quotient is infinite.
    reflected = select(abs(wide) < D(0x1p-300), result, reflected);
    reflected = select(sine > D(0), reflected, infinity<D>());
    result = select(wide < D(0), reflected, result);
  }
  V narrow = convert<V>(result);
  narrow = select(either(x == V(0), abs(x) == infinity<V>()), infinity<V>(), narrow);
  return select(isNan(x), x, narrow);
}

} // namespace

KILN_BOTH(KILN_FORM_ONE, tgamma)
KILN_BOTH(KILN_FORM_ONE, lgamma)

} // namespace kiln::math
