// Powers: x^y = 2^(y log2 x). Floats are computed in doubles, in which 40 bits of the logarithm suffice and every float
// is normal. Doubles use a logarithm in two parts (Pair.h), because an exponent near 1000 costs 10 bits of precision.
#include "backends/cpu/math/Exp.h"
#include "backends/cpu/math/Instances.h"
#include "backends/cpu/math/Log.h"
#include "backends/cpu/math/Pair.h"
#include "backends/cpu/math/PowerCases.h"

namespace kiln::math {
namespace {

/// The base-2 logarithm of a float's magnitude, also for zero, infinity and NaN.
template <typename V> KILN_INLINE Doubles<V> log2InDouble(V magnitude) {
  using D = Doubles<V>;
  D wide = convert<D>(magnitude), log = roughLog2(wide);
  log = select(wide == D(0), -infinity<D>(), log);
  return select(wide < infinity<D>(), log, wide);
}

template <typename V> KILN_INLINE V powerOf(V magnitude, V y) {
  if constexpr (sizeof(Element<V>) == 4) {
    return convert<V>(roughExp2(log2InDouble(magnitude) * convert<Doubles<V>>(y)));
  } else {
    auto [high, low] = log2Pair(magnitude);
    V product = high * y;
    return exp2OfPair(product, productError(product, high, y) + low * y);
  }
}
template <typename V> KILN_INLINE V rootOf(V magnitude, Ints<V> n) {
  if constexpr (sizeof(Element<V>) == 4) {
    return convert<V>(roughExp2(log2InDouble(magnitude) / convert<Doubles<V>>(n)));
  } else {
    auto [high, low] = log2Pair(magnitude);
    V divisor = fromInt<V>(n), quotient = high / divisor, product = quotient * divisor;
    return exp2OfPair(quotient, (((high - product) - productError(product, quotient, divisor)) + low) / divisor);
  }
}

template <typename V> KILN_INLINE V pow(V x, V y) { return asPow(x, y, powerOf(abs(x), y)); }
template <typename V> KILN_INLINE V powr(V x, V y) { return select(x < V(0), nan<V>(), powerOf(abs(x), y)); }
template <typename V> KILN_INLINE V pown(V x, Ints<V> n) {
  V power;
  if constexpr (sizeof(Element<V>) == 4) // an int may exceed a float's precision
    power = convert<V>(roughExp2(log2InDouble(abs(x)) * convert<Doubles<V>>(n)));
  else
    power = powerOf(abs(x), fromInt<V>(n));
  power = withSign(power, select((n & 1) != 0, signBit(x), Ints<V>(0)));
  return select(n == 0, V(1), power);
}
template <typename V> KILN_INLINE V rootn(V x, Ints<V> n) {
  auto odd = (n & 1) != 0;
  V root = withSign(rootOf(abs(x), n), select(odd, signBit(x), Ints<V>(0)));
  return select(either(n == 0, both(x < V(0), negate(odd))), nan<V>(), root);
}

// The fast version uses floats: the error grows with the result's exponent, up to 1,000 ulp.
template <typename V> KILN_INLINE V fastPowerOf(V magnitude, V y) {
  auto [f, e] = logParts(magnitude);
  V log = fma(f * f, fma(f, polynomial(f, fastLogTailOf<float>), V(-0.5f)), f);
  log = fma(log, V(0x1.715476p+0f), fromInt<V>(e));
  log = select(magnitude == V(0), -infinity<V>(), log);
  V power = clamp(select(magnitude < infinity<V>(), log, magnitude) * y, -151, 129);
  Ints<V> n;
  V whole = nearest(power + Format<float>::Shifter, n), rest = power - whole;
  return scale(fma(rest, polynomial(rest, fastExp2Slope<float>), V(1)), whole, n);
}
template <typename V> KILN_INLINE V fastPow(V x, V y) { return asPow(x, y, fastPowerOf(abs(x), y)); }
template <typename V> KILN_INLINE V fastPowr(V x, V y) { return select(x < V(0), nan<V>(), fastPowerOf(abs(x), y)); }

} // namespace

KILN_BOTH(KILN_INSTANCE_TWO, pow)
KILN_BOTH(KILN_INSTANCE_TWO, powr)
KILN_BOTH(KILN_INSTANCE_INT, pown)
KILN_BOTH(KILN_INSTANCE_INT, rootn)
KILN_SINGLE(KILN_INSTANCE_TWO, "fast.pow", fastPow)
KILN_SINGLE(KILN_INSTANCE_TWO, "fast.powr", fastPowr)

} // namespace kiln::math
