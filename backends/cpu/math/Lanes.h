// Types and operations of the math functions. V is float, double or a vector of them. Every operation has the same
// result in each lane of a vector as for a scalar. The build disables contraction and reassociation, so all
// instances of a function have the same bits.
//
// The library is compiled three times: with fused multiply-add instructions (KILN_FMA 1), with a product and a sum in
// their place (KILN_FMA 0), and with fused multiply-adds and AVX-512's instruction for `scale` (KILN_SCALEF 1).
#pragma once

namespace kiln::math {

#define KILN_INLINE [[gnu::always_inline, gnu::nodebug]] inline

template <typename E, int N> struct VectorOf {
  typedef E Type __attribute__((ext_vector_type(N)));
};
template <typename E> struct VectorOf<E, 1> {
  using Type = E;
};
template <typename E, int N> using Vector = typename VectorOf<E, N>::Type;

template <typename E> struct Format;
template <> struct Format<float> {
  using Int = int;
  using Unsigned = unsigned;
  static constexpr int Fraction = 23, Bias = 127;
  static constexpr float SmallestNormal = 0x1p-126f;
  static constexpr float Shifter = 0x1.8p23f; // x + Shifter - Shifter is x rounded to an integer, for |x| up to 2^22
  static constexpr float Whole = 0x1p23f;     // every number of at least this magnitude is an integer
};
template <> struct Format<double> {
  using Int = long;
  using Unsigned = unsigned long;
  static constexpr int Fraction = 52, Bias = 1023;
  static constexpr double SmallestNormal = 0x1p-1022;
  static constexpr double Shifter = 0x1.8p52;
  static constexpr double Whole = 0x1p52;
};

template <typename V> struct Shape {
  using Element = V;
  static constexpr int Count = 1;
};
template <typename V>
  requires requires(V v) { v[0]; }
struct Shape<V> {
  using Element = __typeof__(V{}[0] + 0);
  static constexpr int Count = sizeof(V) / sizeof(Element);
};
template <typename V> using Element = typename Shape<V>::Element;
template <typename V> using Ints = Vector<typename Format<Element<V>>::Int, Shape<V>::Count>;
template <typename V> using Unsigneds = Vector<typename Format<Element<V>>::Unsigned, Shape<V>::Count>;
template <typename V> using Doubles = Vector<double, Shape<V>::Count>;
/// The type of a comparison's result: bool, or a vector of 0 and -1.
template <typename V> using Mask = decltype(V{} < V{});

template <typename To, typename From> KILN_INLINE To bitsAs(From x) { return __builtin_bit_cast(To, x); }
template <typename V> KILN_INLINE Ints<V> bits(V x) { return bitsAs<Ints<V>>(x); }
template <typename V, typename I> KILN_INLINE V fromBits(I x) { return bitsAs<V>(x); }

template <typename To, typename From> KILN_INLINE To convert(From x) {
  if constexpr (Shape<From>::Count == 1)
    return static_cast<To>(x);
  else
    return __builtin_convertvector(x, To);
}

template <typename M, typename T> KILN_INLINE T select(M condition, T yes, T no) { return condition ? yes : no; }
template <typename M> KILN_INLINE M negate(M condition) {
  if constexpr (__is_same(M, bool))
    return !condition;
  else
    return ~condition;
}
template <typename M> KILN_INLINE M both(M a, M b) {
  if constexpr (__is_same(M, bool))
    return a && b;
  else
    return a & b;
}
template <typename M> KILN_INLINE M either(M a, M b) {
  if constexpr (__is_same(M, bool))
    return a || b;
  else
    return a | b;
}
template <typename M> KILN_INLINE bool any(M condition) {
  if constexpr (__is_same(M, bool))
    return condition;
  else
    return __builtin_reduce_or(condition) != 0;
}

template <typename V> KILN_INLINE V abs(V x) { return __builtin_elementwise_abs(x); }
template <typename V> KILN_INLINE V sqrt(V x) { return __builtin_elementwise_sqrt(x); }
template <typename V> KILN_INLINE Ints<V> signBit(V x) {
  return bits(x) & Ints<V>(typename Format<Element<V>>::Int(1) << (sizeof(Element<V>) * 8 - 1));
}
/// Flips the sign of `magnitude` where `sign` is the sign bit.
template <typename V> KILN_INLINE V withSign(V magnitude, Ints<V> sign) { return fromBits<V>(bits(magnitude) ^ sign); }
template <typename V> KILN_INLINE V nan() { return V(Element<V>(__builtin_nan(""))); }
template <typename V> KILN_INLINE V infinity() { return V(Element<V>(__builtin_inf())); }
template <typename V> KILN_INLINE Mask<V> isNan(V x) { return x != x; }

/// a * b + c, rounded once with KILN_FMA 1, else twice.
template <typename V> KILN_INLINE V fma(V a, V b, V c) {
#if KILN_FMA
  return __builtin_elementwise_fma(a, b, c);
#else
  return a * b + c;
#endif
}

/// Returns the exact rounding error of `product`, the rounded product of a and b. Exact only if neither the product nor
/// its error overflows or underflows.
template <typename V> KILN_INLINE V productError(V product, V a, V b) {
#if KILN_FMA
  return __builtin_elementwise_fma(a, b, -product);
#else
  // Dekker's product: splits each factor in two parts whose products are exact.
  using I = Ints<V>;
  constexpr typename Format<Element<V>>::Int mask = sizeof(Element<V>) == 4 ? ~0xfffl : ~0x7ffffffl;
  V aHigh = fromBits<V>(bits(a) & I(mask)), aLow = a - aHigh;
  V bHigh = fromBits<V>(bits(b) & I(mask)), bLow = b - bHigh;
  return aLow * bLow - (((product - aHigh * bHigh) - aLow * bHigh) - aHigh * bLow);
#endif
}

/// `shifted` is x + Format::Shifter. Returns x rounded to the nearest integer, and the same integer in `as`. |x| must
/// be below Format::Whole / 2.
template <typename V> KILN_INLINE V nearest(V shifted, Ints<V> &as) {
  constexpr Element<V> shifter = Format<Element<V>>::Shifter;
  as = bits(shifted) - Ints<V>(bits(shifter));
  return shifted - shifter;
}
/// Rounds x to the nearest integer. |x| must be below Format::Whole / 2.
template <typename V> KILN_INLINE V nearest(V x) {
  constexpr Element<V> shifter = Format<Element<V>>::Shifter;
  return (x + shifter) - shifter;
}
/// Converts an integer below Format::Whole / 2 in magnitude. (Processors before AVX-512 cannot convert 64-bit lanes.)
template <typename V> KILN_INLINE V fromInt(Ints<V> n) {
  constexpr Element<V> shifter = Format<Element<V>>::Shifter;
  return fromBits<V>(n + Ints<V>(bits(shifter))) - shifter;
}

/// 2^n, for n in the range of normal numbers' exponents.
template <typename V> KILN_INLINE V powerOfTwo(Ints<V> n) {
  return fromBits<V>((n + Format<Element<V>>::Bias) << Format<Element<V>>::Fraction);
}
/// x * 2^n, for x near 1 and |n| up to twice the exponent range. Multiplies by two factors, and only the second product
/// may round.
template <typename V> KILN_INLINE V scale(V x, Ints<V> n) {
  Ints<V> half = n >> 1;
  return x * powerOfTwo<V>(half) * powerOfTwo<V>(n - half);
}
/// The same, where n is at hand as the float `whole`, too: AVX-512 has one instruction, which has the same result.
template <typename V> KILN_INLINE V scale(V x, [[maybe_unused]] V whole, Ints<V> n) {
#if KILN_SCALEF
  constexpr bool single = sizeof(Element<V>) == 4;
  constexpr int UsualRounding = 4; // as MXCSR has it
  if constexpr (sizeof(V) == 64 && single)
    return __builtin_ia32_scalefps512_mask(x, whole, x, -1, UsualRounding);
  else if constexpr (sizeof(V) == 64)
    return __builtin_ia32_scalefpd512_mask(x, whole, x, -1, UsualRounding);
  else if constexpr (sizeof(V) == 32 && single)
    return __builtin_ia32_scalefps256_mask(x, whole, x, -1);
  else if constexpr (sizeof(V) == 32)
    return __builtin_ia32_scalefpd256_mask(x, whole, x, -1);
  else if constexpr (sizeof(V) == 16 && single)
    return __builtin_ia32_scalefps128_mask(x, whole, x, -1);
  else if constexpr (sizeof(V) == 16)
    return __builtin_ia32_scalefpd128_mask(x, whole, x, -1);
#endif
  return scale(x, n);
}

/// A number that is scaled up if it is subnormal, and the exponent of the original.
template <typename V> struct Normal {
  V number;         // normal, unless x is zero, infinite or NaN
  Ints<V> exponent; // of x
};
template <typename V> KILN_INLINE Normal<V> normalise(V x) {
  using E = Element<V>;
  constexpr int digits = Format<E>::Fraction + 1;
  auto small = abs(x) < V(Format<E>::SmallestNormal);
  V number = select(small, x * E(typename Format<E>::Int(1) << digits), x);
  Ints<V> raw = (bits(number) >> Format<E>::Fraction) & (2 * Format<E>::Bias + 1);
  return {number, raw - Format<E>::Bias - select(small, Ints<V>(digits), Ints<V>(0))};
}

/// Evaluates the polynomial with coefficients c, lowest power first. From five coefficients on, even and odd powers are
/// two independent chains, which halves the latency.
template <typename V, typename E, unsigned N> KILN_INLINE V polynomial(V x, const E (&c)[N]) {
  if constexpr (N <= 4) {
    V sum = V(c[N - 1]);
#pragma unroll
    for (int i = int(N) - 2; i >= 0; --i)
      sum = fma(sum, x, V(c[i]));
    return sum;
  } else {
    constexpr int top = int(N) - 1;
    V square = x * x, upper = V(c[top]), lower = V(c[top - 1]);
#pragma unroll
    for (int i = top - 2; i >= 0; i -= 2)
      upper = fma(upper, square, V(c[i]));
#pragma unroll
    for (int i = top - 3; i >= 0; i -= 2)
      lower = fma(lower, square, V(c[i]));
    // The chain that ends at c[0] is the even one.
    return top % 2 ? fma(upper, x, lower) : fma(lower, x, upper);
  }
}

} // namespace kiln::math
