// Sine, cosine and tangent. x = n pi/2 + r; n selects between polynomials for the sine and the cosine of r.
#pragma once
#include "backends/cpu/math/Coefficients.h"
#include "backends/cpu/math/Lanes.h"

namespace kiln::math {

/// The result of reduceHuge: the remainder r and n mod 4.
struct HugeRemainder {
  double rest;
  long quarters;
};
/// Reduces a finite x of at least 2^17 (Huge.cpp).
[[gnu::cold, gnu::noinline]] HugeRemainder reduceHuge(double x) __asm__("kiln.math.reduceHuge");

/// x = n pi/2 + rest. Only n mod 4 is meaningful.
template <typename V> struct QuarterTurns {
  V rest;
  Ints<V> n;
};

/// pi/2 in parts; the first three have at most 33 bits. n has at most 20 bits, so n times such a part fits 53 bits and
/// is exact.
inline constexpr double QuarterTurn33[] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2ep-69, 0x1.b839a252049c1p-104};

/// Reduces magnitudes below `NearLimit`. The subtraction of nearly equal numbers is exact (Sterbenz), so each step adds
/// a rounding error of less than half an ulp of the remainder.
template <typename V> KILN_INLINE QuarterTurns<V> reduceNear(V x) {
  using E = Element<V>;
  constexpr E twoOverPi = E(0x1.45f306dc9c883p-1);
  Ints<V> n;
  if constexpr (sizeof(E) == 4 && !KILN_FMA) { // in doubles: exact products need up to 48 bits
    using D = Doubles<V>;
    V whole = nearest(x * twoOverPi + Format<E>::Shifter, n);
    D turns = convert<D>(whole), rest = convert<D>(x) - turns * QuarterTurn33[0];
    return {convert<V>(rest - turns * 0x1.0b4611a626331p-34), n};
  } else if constexpr (sizeof(E) == 4) {
    V whole = nearest(fma(x, V(twoOverPi), V(Format<E>::Shifter)), n);
    V rest = fma(whole, V(-0x1.921fb6p+0f), x);
    rest = fma(whole, V(0x1.777a5cp-25f), rest);
    return {fma(whole, V(0x1.ee59dap-50f), rest), n};
  } else if constexpr (KILN_FMA) {
    V whole = nearest(fma(x, V(twoOverPi), V(Format<E>::Shifter)), n);
    V rest = fma(whole, V(-0x1.921fb54442d18p+0), x);
    rest = fma(whole, V(-0x1.1a62633145c07p-54), rest);
    return {fma(whole, V(0x1.f1976b7ed8fbcp-110), rest), n};
  } else {
    V whole = nearest(x * twoOverPi + Format<E>::Shifter, n);
    V rest = x - whole * QuarterTurn33[0];
    rest -= whole * QuarterTurn33[1];
    rest -= whole * QuarterTurn33[2];
    return {rest - whole * QuarterTurn33[3], n};
  }
}
template <typename E> inline constexpr E NearLimit = sizeof(E) == 4 ? E(0x1p17) : KILN_FMA ? E(0x1p30) : E(0x1p20);

/// Reduces any finite magnitude. The remainder of infinity is NaN.
template <typename V> KILN_INLINE QuarterTurns<V> reduce(V x) {
  using E = Element<V>;
  QuarterTurns<V> near = reduceNear(x);
  auto huge = both(x >= V(NearLimit<E>), x < infinity<V>());
  if (__builtin_expect(any(huge), false)) {
    if constexpr (Shape<V>::Count == 1) {
      HugeRemainder turn = reduceHuge(x);
      near = {E(turn.rest), typename Format<E>::Int(turn.quarters)};
    } else {
      for (int i = 0; i < Shape<V>::Count; ++i)
        if (huge[i]) {
          HugeRemainder turn = reduceHuge(x[i]);
          near.rest[i] = E(turn.rest), near.n[i] = typename Format<E>::Int(turn.quarters);
        }
    }
  }
  return near;
}

template <typename V> struct SinCos {
  V sin, cos;
};
/// Returns the sine and the cosine of |r| <= pi/4.
template <typename V> KILN_INLINE SinCos<V> sinCos(V r) {
  using E = Element<V>;
  V z = r * r;
  V sin = fma(r * z, polynomial(z, sinTail<E>), r);
  V cos = fma(z * z, polynomial(z, cosTail<E>), fma(z, V(E(-0.5)), V(1)));
  return {sin, cos};
}

/// Returns bit `bit` of n at the position of the sign bit; the other bits are 0.
template <typename V> KILN_INLINE Ints<V> signFrom(Ints<V> n, int bit) {
  using U = Unsigneds<V>;
  return bitsAs<Ints<V>>(bitsAs<U>(n) << (int(sizeof(Element<V>)) * 8 - 1 - bit)) & signBit(V(Element<V>(-0.0)));
}
template <typename V> KILN_INLINE Mask<V> isOdd(Ints<V> n) { return (n & 1) != 0; }

template <typename V> KILN_INLINE V sinOf(QuarterTurns<V> turns, V x) {
  auto [sin, cos] = sinCos(turns.rest);
  return withSign(select(isOdd<V>(turns.n), cos, sin), signFrom<V>(turns.n, 1) ^ signBit(x));
}
template <typename V> KILN_INLINE V cosOf(QuarterTurns<V> turns) {
  auto [sin, cos] = sinCos(turns.rest);
  return withSign(select(isOdd<V>(turns.n), sin, cos), signFrom<V>(turns.n + 1, 1));
}
template <typename V> KILN_INLINE V tanOf(QuarterTurns<V> turns, V x) {
  auto [sin, cos] = sinCos(turns.rest);
  auto odd = isOdd<V>(turns.n);
  return withSign(select(odd, -cos, sin) / select(odd, sin, cos), signBit(x));
}
template <typename V> KILN_INLINE V sin(V x) { return sinOf(reduce(abs(x)), x); }
template <typename V> KILN_INLINE V cos(V x) { return cosOf(reduce(abs(x))); }
template <typename V> KILN_INLINE V tan(V x) { return tanOf(reduce(abs(x)), x); }

// ---- functions of pi x: the reduction is exact, and the polynomials include the factor pi ----

/// magnitude = n / 2 + rest, modulo 2. The remainder of infinity is NaN.
template <typename V> KILN_INLINE QuarterTurns<V> reducePi(V magnitude) {
  using E = Element<V>;
  // Reduces modulo 2: magnitude - 2 * round(magnitude / 2). Adding and subtracting Whole rounds magnitude / 2 to an
  // integer. Magnitudes from 2 * Whole on are even integers, so their remainder is 0.
  V half = magnitude * E(0.5);
  V rest = magnitude - 2 * ((half + Format<E>::Whole) - Format<E>::Whole);
  rest = select(magnitude >= V(2 * Format<E>::Whole), V(0), rest);
  Ints<V> n;
  V quarters = nearest(2 * rest + Format<E>::Shifter, n);
  rest -= E(0.5) * quarters;
  return {select(magnitude < infinity<V>(), rest, nan<V>()), n};
}
/// Returns the sine and the cosine of pi r, for |r| <= 1/4.
template <typename V> KILN_INLINE SinCos<V> sinCosPi(V r) {
  using E = Element<V>;
  // pi as an unevaluated sum
  constexpr E high = E(0x1.921fb54442d18p+1), low = sizeof(E) == 4 ? E(-0x1.777a5cp-24) : E(0x1.1a62633145c07p-53);
  V z = r * r;
  V sin = fma(r, V(high), r * fma(z, polynomial(z, sinPiTail<E>), V(low)));
  V cos = fma(z, polynomial(z, cosPiTail<E>), V(1));
  return {sin, cos};
}
// sinpi of an integer is a zero with the sign of x. Zeros of cospi are positive (OpenCL C, edge cases of math
// functions).
template <typename V> KILN_INLINE V sinpi(V x) {
  auto turns = reducePi(abs(x));
  auto [sin, cos] = sinCosPi(turns.rest);
  auto odd = isOdd<V>(turns.n);
  auto zero = both(turns.rest == V(0), negate(odd));
  Ints<V> sign = select(zero, Ints<V>(0), signFrom<V>(turns.n, 1)) ^ signBit(x);
  return withSign(select(zero, V(0), select(odd, cos, sin)), sign);
}
template <typename V> KILN_INLINE V cospi(V x) {
  auto turns = reducePi(abs(x));
  auto [sin, cos] = sinCosPi(turns.rest);
  auto odd = isOdd<V>(turns.n);
  V result = withSign(select(odd, sin, cos), signFrom<V>(turns.n + 1, 1));
  return select(both(turns.rest == V(0), odd), V(0), result);
}
// For x >= 0; tanpi is odd. At multiples of 1/2 the result is 0 (n even) or infinity (n odd). It is positive if n mod 4
// is 0 or 1, otherwise negative.
template <typename V> KILN_INLINE V tanpi(V x) {
  auto turns = reducePi(abs(x));
  auto [sin, cos] = sinCosPi(turns.rest);
  auto odd = isOdd<V>(turns.n);
  V result = select(odd, -cos, sin) / select(odd, sin, cos);
  V edge = withSign(select(odd, infinity<V>(), V(0)), signFrom<V>(turns.n, 1));
  return withSign(select(turns.rest == V(0), edge, result), signBit(x));
}

} // namespace kiln::math
