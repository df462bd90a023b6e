// e^x, 2^x and 10^x: an integer power of two times a polynomial of the remainder, whose power of two is between 2^-0.5
// and 2^0.5.
#pragma once
#include "backends/cpu/math/Coefficients.h"
#include "backends/cpu/math/Lanes.h"

namespace kiln::math {

template <typename E> inline constexpr int ln2 = 0; // in two parts; an integer exponent times the first part is exact
template <> inline constexpr float ln2<float>[] = {0x1.62e4p-1f, 0x1.7f7d1cp-20f};
template <> inline constexpr double ln2<double>[] = {0x1.62e42feep-1, 0x1.a39ef35793c76p-33};
template <typename E> inline constexpr int log10Of2 = 0; // in two parts, as ln2
template <> inline constexpr float log10Of2<float>[] = {0x1.344p-2f, 0x1.3509f8p-18f};
template <> inline constexpr double log10Of2<double>[] = {0x1.34413508p-2, 0x1.f79fef311f12bp-34};
inline constexpr double Log2OfE = 0x1.71547652b82fep+0, Log2Of10 = 0x1.a934f0979a371p+1;

/// Clamps x; keeps NaN. Callers choose limits beyond which every result is zero or infinite (-1 for expm1), and within
/// which no exponent wraps around.
template <typename V> KILN_INLINE V clamp(V x, Element<V> low, Element<V> high) {
  x = select(x < V(low), V(low), x);
  return select(x > V(high), V(high), x);
}

/// e^x = 2^n * (1 + part) with `part` in [sqrt(1/2) - 1, sqrt(2) - 1]. Without the 1, `part` keeps the precision that
/// e^x - 1 needs.
template <typename V> struct ExpParts {
  V part;
  Ints<V> n;
  V whole; // n
};
template <typename V> KILN_INLINE ExpParts<V> expParts(V x) {
  using E = Element<V>;
  Ints<V> n;
  V whole = nearest(fma(x, V(E(Log2OfE)), V(Format<E>::Shifter)), n);
  V rest = fma(whole, V(-ln2<E>[0]), x);
  rest = fma(whole, V(-ln2<E>[1]), rest);
  return {fma(rest * rest, polynomial(rest, expTail<E>), rest), n, whole};
}

template <typename V> KILN_INLINE V exp(V x) {
  constexpr bool single = sizeof(Element<V>) == 4;
  auto [part, n, whole] = expParts(clamp(x, single ? -104 : -746, single ? 89 : 710));
  return scale(1 + part, whole, n);
}

/// Returns x if it is tiny, else `result`. For functions with f(x) = x near zero, whose computation would lose digits
/// of subnormals and the sign of zero.
template <typename V> KILN_INLINE V unlessTiny(V x, V result) {
  return select(abs(x) < V(Element<V>(sizeof(Element<V>) == 4 ? 0x1p-25 : 0x1p-54)), x, result);
}

/// (e^x - 1) / 4. It is finite for every x for which sinh(x) is finite.
template <typename V> KILN_INLINE V quarterExpm1(V x) {
  constexpr bool single = sizeof(Element<V>) == 4;
  auto [part, n, whole] = expParts(clamp(x, single ? -20 : -40, single ? 89.5 : 710.7));
  V power = powerOfTwo<V>(n - 2);
  return fma(power, part, power - Element<V>(0.25));
}

template <typename V> KILN_INLINE V exp2(V x) {
  using E = Element<V>;
  constexpr bool single = sizeof(E) == 4;
  x = clamp(x, single ? -151 : -1080, single ? 129 : 1025);
  Ints<V> n;
  V whole = nearest(x + Format<E>::Shifter, n), rest = x - whole;
  return scale(fma(rest, polynomial(rest, exp2Slope<E>), V(1)), whole, n);
}

template <typename V> KILN_INLINE V exp10(V x) {
  using E = Element<V>;
  constexpr bool single = sizeof(E) == 4;
  x = clamp(x, single ? -46 : -325, single ? 39 : 309);
  Ints<V> n;
  V whole = nearest(fma(x, V(E(Log2Of10)), V(Format<E>::Shifter)), n);
  V rest = fma(whole, V(-log10Of2<E>[0]), x);
  rest = fma(whole, V(-log10Of2<E>[1]), rest);
  return scale(fma(rest, polynomial(rest, exp10Slope<E>), V(1)), whole, n);
}

/// 2^x of doubles with 32 correct bits, for results that are rounded to float.
template <typename D> KILN_INLINE D roughExp2(D x) {
  x = clamp(x, -200, 200);
  Ints<D> n;
  D rest = x - nearest(x + Format<double>::Shifter, n);
  return fma(rest, polynomial(rest, roughExp2Slope<double>), D(1)) * powerOfTwo<D>(n);
}

} // namespace kiln::math
