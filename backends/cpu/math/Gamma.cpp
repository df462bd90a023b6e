// The gamma function and the logarithm of its magnitude, of floats, computed in doubles.
#include "backends/cpu/math/Exp.h"
#include "backends/cpu/math/Forms.h"
#include "backends/cpu/math/Log.h"
#include "backends/cpu/math/Trig.h"

namespace kiln::math {
namespace {

constexpr double Ln2 = 0x1.62e42fefa39efp-1, Pi = 0x1.921fb54442d18p+1;

/// What Stirling's form lacks: log gamma(x) = (x - 1/2) log x - x + log(2 pi) / 2 + this, from three on.
template <typename D> KILN_INLINE D stirlingRest(D x) {
  D inverse = 1 / x;
  return polynomial(inverse * inverse, stirlingTail<double>) * inverse;
}
constexpr double HalfLogOfTurn = 0x1.d67f1c864beb5p-1;

// On the left by reflection, gamma(x) = pi / (sin(pi x) gamma(1 - x)); up to three by three steps of
// gamma(x) = gamma(x + 1) / x.
template <typename V> KILN_INLINE V tgamma(V x) {
  using D = Doubles<V>;
  D wide = convert<D>(x);
  auto left = wide < D(0.5);
  D z = select(left, 1 - wide, wide);
  z = select(z > D(60), D(60), z); // there all is over, or under
  auto low = z < D(3);
  D y = select(low, z + 3, z), steps = select(low, z * (z + 1) * (z + 2), D(1));
  D rest = (stirlingRest(y) - y + HalfLogOfTurn) * Log2OfE;
  D power = roughExp2(fma(y - 0.5, roughLog2(y), rest));
  D sine = sinpi(wide);
  D result = select(left, Pi * steps, power) / select(left, sine * power, steps);
  result = select(both(wide < D(0), sine == D(0)), nan<D>(), result);
  return convert<V>(select(wide == infinity<D>(), wide, result));
}

// Of a positive number: between its zeros at one and two (x - 1) (x - 2) times a polynomial, which the rule
// log gamma(x) = log gamma(x + 1) - log x takes to zero; from three on Stirling's form.
template <typename D> KILN_INLINE D logGammaRight(D x) {
  auto below = x<D(1), far = x> D(3);
  D log = roughLog2(select(either(below, far), x, D(1))) * Ln2;
  D y = select(below, x + 1, select(far, D(3), x));
  D first = select(below, x, y - 1), second = select(below, x - 1, y - 2); // from x, which has the digits
  D near = first * second * polynomial(y - 2, logGammaMiddle<double>) - log;
  D stirling = fma(x - 0.5, log, stirlingRest(x) - x) + HalfLogOfTurn;
  return select(far, stirling, near);
}
template <typename V> KILN_INLINE V lgamma(V x) {
  using D = Doubles<V>;
  D wide = convert<D>(x), result = logGammaRight(abs(wide));
  auto left = x < V(0);
  if (any(left)) { // gamma(x) gamma(-x) = -pi / (x sin(pi x))
    D product = abs(wide * sinpi(wide));
    D reflected = roughLog2(select(product > D(0), Pi / product, D(1))) * Ln2 - result;
    reflected = select(product > D(0), reflected, infinity<D>());
    result = select(wide < D(0), reflected, result);
  }
  V narrow = convert<V>(result);
  narrow = select(either(x == V(0), abs(x) == infinity<V>()), infinity<V>(), narrow);
  return select(isNan(x), x, narrow);
}

} // namespace

KILN_SINGLE(KILN_FORM_ONE, "tgamma", tgamma)
KILN_SINGLE(KILN_FORM_ONE, "lgamma", lgamma)

} // namespace kiln::math
