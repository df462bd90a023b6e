// Hyperbolic functions and their inverses: sinh and tanh from e^x - 1, cosh from e^x, and the inverse functions from
// log(1 + x). e^x - 1 and log(1 + x) keep their precision for small arguments.
#include "backends/cpu/math/Exp.h"
#include "backends/cpu/math/Instances.h"
#include "backends/cpu/math/Log.h"

namespace kiln::math {
namespace {

// With h = (e^x - 1) / 2: sinh(x) = h + h / (2 h + 1).
template <typename V> KILN_INLINE V sinh(V x) {
  V half = 2 * quarterExpm1(abs(x));
  V result = half + half / (2 * half + 1);
  result = select(half < infinity<V>(), result, half); // h is infinite or NaN: the quotient would be NaN
  return unlessTiny(x, withSign(result, signBit(x)));
}
// With q = e^x / 4: cosh(x) = 2 q + 1 / (8 q).
template <typename V> KILN_INLINE V cosh(V x) {
  using E = Element<V>;
  constexpr bool single = sizeof(E) == 4;
  auto [part, n, whole] = expParts(clamp(abs(x), 0, single ? 89.5 : 710.7));
  V quarter = (1 + part) * powerOfTwo<V>(n - 2);
  return 2 * quarter + E(0.125) / quarter;
}
// With t = e^2x - 1: tanh(x) = t / (t + 2).
template <typename V> KILN_INLINE V tanh(V x) {
  constexpr bool single = sizeof(Element<V>) == 4;
  V t = 4 * quarterExpm1(clamp(2 * abs(x), 0, single ? 20 : 44));
  return unlessTiny(x, withSign(t / (t + 2), signBit(x)));
}

// Returns log(x + root) = log1p(excess), excess = x + root - 1, where root is sqrt(x^2 + 1) or sqrt(x^2 - 1). For large
// x the root rounds to x: log(2 x) = log1p(x - 1) + log(2).
template <typename V> KILN_INLINE V areaOf(V x, V excess) {
  using E = Element<V>;
  auto far = x > V(E(sizeof(E) == 4 ? 0x1p14 : 0x1p28));
  V result = log1p(select(far, x - 1, excess));
  return select(far, result + E(0x1.62e42fefa39efp-1), result);
}
template <typename V> KILN_INLINE V asinh(V x) {
  V magnitude = abs(x), square = magnitude * magnitude;
  V excess = magnitude + square / (1 + sqrt(1 + square));
  return withSign(areaOf(magnitude, excess), signBit(x));
}
template <typename V> KILN_INLINE V acosh(V x) {
  V t = x - 1;
  V excess = t + sqrt(t * (t + 2));
  return select(x >= V(1), areaOf(x, excess), nan<V>());
}
template <typename V> KILN_INLINE V atanh(V x) {
  V magnitude = abs(x);
  V result = Element<V>(0.5) * log1p(2 * magnitude / (1 - magnitude));
  return withSign(select(magnitude <= V(1), result, nan<V>()), signBit(x));
}

} // namespace

KILN_BOTH(KILN_INSTANCE_ONE, sinh)
KILN_BOTH(KILN_INSTANCE_ONE, cosh)
KILN_BOTH(KILN_INSTANCE_ONE, tanh)
KILN_BOTH(KILN_INSTANCE_ONE, asinh)
KILN_BOTH(KILN_INSTANCE_ONE, acosh)
KILN_BOTH(KILN_INSTANCE_ONE, atanh)

} // namespace kiln::math
