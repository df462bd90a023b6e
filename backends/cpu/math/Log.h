// Logarithms. x = 2^e * (1 + f) with 1 + f between sqrt(1/2) and sqrt(2); log(1 + f) is f plus a correction (logTail).
#pragma once
#include "backends/cpu/math/Coefficients.h"
#include "backends/cpu/math/Exp.h"
#include "backends/cpu/math/Lanes.h"

namespace kiln::math {

template <typename V> struct LogParts {
  V f;
  Ints<V> e;
};
/// Splits a positive, finite x. The result is arbitrary for other values.
template <typename V> KILN_INLINE LogParts<V> logParts(V x) {
  using E = Element<V>;
  constexpr auto root = __builtin_bit_cast(typename Format<E>::Int, E(0x1.6a09e667f3bcdp-1));
  constexpr int digits = Format<E>::Fraction + 1;
  auto small = x < V(Format<E>::SmallestNormal);
  Ints<V> raw = bits(select(small, x * E(typename Format<E>::Int(1) << digits), x)) - Ints<V>(root);
  Ints<V> e = raw >> Format<E>::Fraction;
  V one = fromBits<V>(raw - (e << Format<E>::Fraction) + Ints<V>(root));
  return {one - 1, e - select(small, Ints<V>(digits), Ints<V>(0))};
}

/// log(1 + f) - f. float: a polynomial of f, without a division. double: a series of s = f / (2 + f); s^2 is below
/// 0.03, so seven terms suffice.
template <typename V> KILN_INLINE V logTail(V f) {
  using E = Element<V>;
  if constexpr (sizeof(E) == 4) {
    return f * f * fma(f, polynomial(f, logTailOf<E>), V(E(-0.5)));
  } else {
    V s = f / (2 + f), z = s * s, halfSquare = E(0.5) * f * f;
    return s * fma(z, polynomial(z, logRatio<E>), halfSquare) - halfSquare;
  }
}

/// Selects the results for zero, negative numbers, infinity and NaN.
template <typename V> KILN_INLINE V logEdges(V x, V result) {
  result = select(x == infinity<V>(), x, result);
  result = select(x == V(0), -infinity<V>(), result);
  return select(negate(x >= V(0)), nan<V>(), result);
}

template <typename V> KILN_INLINE V logOf(LogParts<V> parts) {
  using E = Element<V>;
  V e = fromInt<V>(parts.e);
  V low = fma(e, V(ln2<E>[1]), logTail(parts.f)) + parts.f;
  return fma(e, V(ln2<E>[0]), low);
}
template <typename V> KILN_INLINE V log(V x) { return logEdges(x, logOf(logParts(x))); }

template <typename V> KILN_INLINE V log2(V x) {
  using E = Element<V>;
  auto [f, e] = logParts(x);
  // 1 / ln 2 in two parts, so that the rounding error of the constant does not add to that of the product with f.
  constexpr E high = E(0x1.71547652b82fep+0), low = sizeof(E) == 4 ? E(0x1.4ae0cp-26) : E(0x1.777d0ffda0d24p-56);
  V tail = logTail(f);
  return logEdges(x, fromInt<V>(e) + fma(f, V(high), fma(tail, V(high), f * low)));
}

template <typename V> KILN_INLINE V log10(V x) {
  using E = Element<V>;
  auto [f, e] = logParts(x);
  constexpr E high = E(0x1.bcb7b1526e50ep-2), low = sizeof(E) == 4 ? E(-0x1.5b235ep-27) : E(0x1.95355baaafad3p-57);
  V tail = logTail(f), whole = fromInt<V>(e);
  V small = fma(f, V(high), fma(tail, V(high), fma(whole, V(log10Of2<E>[1]), f * low)));
  return logEdges(x, fma(whole, V(log10Of2<E>[0]), small));
}

/// log(1 + x). The sum 1 + x is rounded and only selects e. f = x * 2^-e + (2^-e - 1) is computed from x, rounded once.
template <typename V> KILN_INLINE V log1p(V x) {
  using E = Element<V>;
  V sum = 1 + x;
  LogParts<V> parts = logParts(sum);
  V down = powerOfTwo<V>(-parts.e);
  auto large = x > V(Format<E>::Whole * 4); // here 1 + x rounds to x
  parts.f = select(large, parts.f, fma(x, down, down - 1));
  V result = logEdges(sum, logOf(parts));
  return select(x == V(0), x, result); // keeps the sign of zero
}

/// The base-2 logarithm of a positive float, as a double with 40 correct bits. Every float is a normal double.
template <typename D> KILN_INLINE D roughLog2(D x) {
  constexpr long root = __builtin_bit_cast(long, 0x1.6a09e667f3bcdp-1);
  Ints<D> raw = bits(x) - Ints<D>(root), e = raw >> 52;
  D f = fromBits<D>(raw - (e << 52) + Ints<D>(root)) - 1;
  return fma(f, polynomial(f, roughLog2Slope<double>), fromInt<D>(e));
}

} // namespace kiln::math
