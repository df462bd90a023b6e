// Sines and cosines: x = n pi/2 + r, and two polynomials of r, one of which n selects.
#pragma once
#include "backends/cpu/math/Coefficients.h"
#include "backends/cpu/math/Lanes.h"

namespace kiln::math {

/// r, and n modulo four, for a large finite number (Huge.cpp).
struct Turn {
  double rest;
  long quarters;
};
[[gnu::cold, gnu::noinline]] Turn reduceHuge(double x) __asm__("kiln.math.reduceHuge");

template <typename V> struct QuarterTurns {
  V rest;
  Ints<V> n;
};

/// In doubles a product of n and a part of pi/2 of 33 bits is exact.
inline constexpr double QuarterTurn33[] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2ep-69, 0x1.b839a252049c1p-104};

/// For magnitudes below `NearLimit`. Cancellation is exact, so every step loses less than half an ulp of the remainder.
template <typename V> KILN_INLINE QuarterTurns<V> reduceNear(V x) {
  using E = Element<V>;
  constexpr E twoOverPi = E(0x1.45f306dc9c883p-1);
  Ints<V> n;
  if constexpr (sizeof(E) == 4 && !KILN_FMA) { // products need 48 bits
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

/// For any finite magnitude; the remainder of infinity is NaN.
template <typename V> KILN_INLINE QuarterTurns<V> reduce(V x) {
  using E = Element<V>;
  QuarterTurns<V> near = reduceNear(x);
  auto huge = both(x >= V(NearLimit<E>), x < infinity<V>());
  if (__builtin_expect(any(huge), false)) {
    if constexpr (Shape<V>::Count == 1) {
      Turn turn = reduceHuge(x);
      near = {E(turn.rest), typename Format<E>::Int(turn.quarters)};
    } else {
      for (int i = 0; i < Shape<V>::Count; ++i)
        if (huge[i]) {
          Turn turn = reduceHuge(x[i]);
          near.rest[i] = E(turn.rest), near.n[i] = typename Format<E>::Int(turn.quarters);
        }
    }
  }
  return near;
}

template <typename V> struct SinCos {
  V sin, cos;
};
template <typename V> KILN_INLINE SinCos<V> sinCos(V r) {
  using E = Element<V>;
  V z = r * r;
  V sin = fma(r * z, polynomial(z, sinTail<E>), r);
  V cos = fma(z * z, polynomial(z, cosTail<E>), fma(z, V(E(-0.5)), V(1)));
  return {sin, cos};
}

/// Moves bit `bit` of n to the sign bit.
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

// ---- functions of pi x: the reduction is exact, and the polynomials include pi ----

template <typename V> KILN_INLINE QuarterTurns<V> reducePi(V magnitude) {
  using E = Element<V>;
  // Reduces modulo two. Numbers from 2 Whole on are even; adding Whole rounds half of a smaller number.
  V half = magnitude * E(0.5);
  V rest = magnitude - 2 * ((half + Format<E>::Whole) - Format<E>::Whole);
  rest = select(magnitude >= V(2 * Format<E>::Whole), V(0), rest);
  Ints<V> n;
  V quarters = nearest(2 * rest + Format<E>::Shifter, n);
  rest -= E(0.5) * quarters;
  return {select(magnitude < infinity<V>(), rest, nan<V>()), n};
}
template <typename V> KILN_INLINE SinCos<V> sinCosPi(V r) {
  using E = Element<V>;
  constexpr E high = E(0x1.921fb54442d18p+1), low = sizeof(E) == 4 ? E(-0x1.777a5cp-24) : E(0x1.1a62633145c07p-53);
  V z = r * r;
  V sin = fma(r, V(high), r * fma(z, polynomial(z, sinPiTail<E>), V(low)));
  V cos = fma(z, polynomial(z, cosPiTail<E>), V(1));
  return {sin, cos};
}
// The sine of an integer is a zero with the sign of x; a zero cosine is positive.
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
// Multiples of a half have the results 0 and infinity, positive for the first of each pair of quarters.
template <typename V> KILN_INLINE V tanpi(V x) {
  auto turns = reducePi(abs(x));
  auto [sin, cos] = sinCosPi(turns.rest);
  auto odd = isOdd<V>(turns.n);
  V result = select(odd, -cos, sin) / select(odd, sin, cos);
  V edge = withSign(select(odd, infinity<V>(), V(0)), signFrom<V>(turns.n, 1));
  return withSign(select(turns.rest == V(0), edge, result), signBit(x));
}

} // namespace kiln::math
