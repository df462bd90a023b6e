// Operations on f32, f64 and f16 that several instructions share. T is f32 or f64; halves are computed as f64, whose
// results are exact before they are rounded to f16.
#pragma once
#include "emulator/machine/Half.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace kiln::emulator {

template <typename T> struct Format;
template <> struct Format<f32> {
  using Bits = u32;
  static constexpr unsigned mantissa = 23, maxExponent = 255;
};
template <> struct Format<f64> {
  using Bits = u64;
  static constexpr unsigned mantissa = 52, maxExponent = 2047;
};

template <typename T> typename Format<T>::Bits bitsOf(T value) {
  return std::bit_cast<typename Format<T>::Bits>(value);
}
template <typename T> bool isSignalling(T value) {
  return std::isnan(value) && !(bitsOf(value) >> (Format<T>::mantissa - 1) & 1);
}
template <typename T> T quiet(T value) {
  using Bits = typename Format<T>::Bits;
  return std::bit_cast<T>(Bits(bitsOf(value) | Bits(1) << (Format<T>::mantissa - 1)));
}
template <typename T> bool isNegative(T value) { return bitsOf(value) >> (sizeof(T) * 8 - 1); }
/// The exponent as it is in the bits.
template <typename T> int biasedExponent(T value) {
  return int(bitsOf(value) >> Format<T>::mantissa & Format<T>::maxExponent);
}
template <typename T> bool isDenormal(T value) { return biasedExponent(value) == 0 && value != T(0); }
template <typename T> T flushDenormal(T value) {
  return biasedExponent(value) == 0 ? std::copysign(T(0), value) : value;
}

/// The smaller or larger number. -0 is below +0. A NaN gives the other operand; a signalling one, with MODE's IEEE bit,
/// gives a quiet NaN.
template <typename T> T minimum(T a, T b, bool ieee) {
  if (ieee && isSignalling(a))
    return quiet(a);
  if (ieee && isSignalling(b))
    return quiet(b);
  if (std::isnan(a))
    return b;
  if (std::isnan(b))
    return a;
  if (a == b)
    return isNegative(a) ? a : b;
  return a < b ? a : b;
}
template <typename T> T maximum(T a, T b, bool ieee) {
  if (ieee && isSignalling(a))
    return quiet(a);
  if (ieee && isSignalling(b))
    return quiet(b);
  if (std::isnan(a))
    return b;
  if (std::isnan(b))
    return a;
  if (a == b)
    return isNegative(a) ? b : a;
  return a > b ? a : b;
}
/// The median; with a NaN, the smallest.
template <typename T> T medianOf(T a, T b, T c, bool ieee) {
  if (std::isnan(a) || std::isnan(b) || std::isnan(c))
    return minimum(minimum(a, b, ieee), c, ieee);
  const T most = maximum(maximum(a, b, false), c, false);
  if (most == a)
    return maximum(b, c, false);
  return most == b ? maximum(a, c, false) : maximum(a, b, false);
}

template <typename T> T frexpMantissa(T value) {
  int exponent;
  return std::isfinite(value) ? std::frexp(value, &exponent) : value;
}
template <typename T> i32 frexpExponent(T value) {
  int exponent = 0;
  if (std::isfinite(value))
    std::frexp(value, &exponent);
  return exponent;
}
/// Truncates, saturates, and gives 0 for a NaN.
template <typename I> I toInteger(f64 value) {
  if (std::isnan(value))
    return 0;
  const f64 least = f64(std::numeric_limits<I>::min()), most = f64(std::numeric_limits<I>::max());
  return I(std::clamp(std::trunc(value), least, most)); // exact: I has at most 32 bits
}
/// The bits of v_cmp_class: signalling NaN, quiet NaN, -infinity, -normal, -denormal, -0, +0, +denormal, +normal,
/// +infinity.
template <typename T> u32 classOf(T value) {
  if (std::isnan(value))
    return isSignalling(value) ? 1 : 2;
  const bool negative = isNegative(value);
  const unsigned kind = biasedExponent(value) == int(Format<T>::maxExponent) ? 0
                        : biasedExponent(value)                              ? 1
                        : isDenormal(value)                                  ? 2
                                                                             : 3;
  return 1u << (negative ? 2 + kind : 9 - kind);
}

} // namespace kiln::emulator
