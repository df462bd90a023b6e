// The error function and its complement, of floats.
#include "backends/cpu/math/Exp.h"
#include "backends/cpu/math/Forms.h"

namespace kiln::math {
namespace {

// Up to one an odd polynomial; beyond it 1 - e^-p with a polynomial p, until that is one.
template <typename V> KILN_INLINE V erf(V x) {
  V magnitude = abs(x);
  V near = fma(magnitude, polynomial(magnitude * magnitude, erfTail<float>), magnitude);
  V bounded = select(magnitude > V(4), V(4), magnitude);
  V far = 1 - exp(-polynomial(bounded, erfLog<float>));
  V result = select(magnitude > V(1), far, near);
  return select(isNan(x), x, withSign(result, signBit(x)));
}

// e^-x^2 p(t) / (1 + 2 x) with t = (x - 2) / (x + 2), in doubles: the square is exact there.
template <typename V> KILN_INLINE V erfc(V x) {
  using D = Doubles<V>;
  D magnitude = convert<D>(abs(x));
  magnitude = select(magnitude > D(11), D(11), magnitude); // where it is zero
  D t = (magnitude - 2) / (magnitude + 2);
  D ratio = polynomial(t, erfcRatio<double>) / fma(magnitude, D(2), D(1));
  V result = convert<V>(roughExp2(magnitude * magnitude * -Log2OfE) * ratio);
  return select(x < V(0), 2 - result, result);
}

} // namespace

KILN_SINGLE(KILN_FORM_ONE, "erf", erf)
KILN_SINGLE(KILN_FORM_ONE, "erfc", erfc)

} // namespace kiln::math
