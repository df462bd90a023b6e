// The error function and its complement.
#include "backends/cpu/math/Exp.h"
#include "backends/cpu/math/Instances.h"

namespace kiln::math {
namespace {

// erfc(x) = e^(-x^2) p(t) / (1 + 2 x) with t = (x - 2) / (x + 2), for x >= 0. Floats are computed in doubles, in which
// the square is exact. For doubles, the square's rounding error is corrected to first order.
template <typename V> KILN_INLINE V erfcOfMagnitude(V magnitude) {
  using E = Element<V>;
  using D = Doubles<V>;
  D x = convert<D>(magnitude);
  x = select(x > D(28), D(28), x); // beyond, the result is zero
  D t = (x - 2) / (x + 2);
  D ratio = polynomial(t, erfcRatio<E>) / fma(x, D(2), D(1)), square = x * x;
  if constexpr (sizeof(E) == 4) {
    return convert<V>(roughExp2(square * -Log2OfE) * ratio);
  } else {
    auto [part, n, whole] = expParts(-square);
    D power = 1 + part;
    return scale(fma(-power, productError(square, x, x), power) * ratio, whole, n);
  }
}
template <typename V> KILN_INLINE V erfc(V x) {
  V result = erfcOfMagnitude(abs(x));
  return select(x < V(0), 2 - result, result);
}

// For |x| <= 1: an odd polynomial. Else 1 - e^-p(x) with a polynomial p for floats, whose result is 1 from x = 4 on,
// and 1 - erfc(x) for doubles.
template <typename V> KILN_INLINE V erf(V x) {
  using E = Element<V>;
  V magnitude = abs(x), far;
  V near = fma(magnitude, polynomial(magnitude * magnitude, erfTail<E>), magnitude);
  if constexpr (sizeof(E) == 4)
    far = 1 - exp(-polynomial(select(magnitude > V(4), V(4), magnitude), erfLog<float>));
  else
    far = 1 - erfcOfMagnitude(magnitude);
  V result = select(magnitude > V(1), far, near);
  return select(isNan(x), x, withSign(result, signBit(x)));
}

} // namespace

KILN_BOTH(KILN_INSTANCE_ONE, erf)
KILN_BOTH(KILN_INSTANCE_ONE, erfc)

} // namespace kiln::math
