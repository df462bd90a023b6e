// IEEE 754's binary16: conversions, in software, because the host may have no such instructions. Arithmetic on halves
// is done in a wider type in which the result is exact or correctly rounded, and rounded once here.
#pragma once
#include "emulator/machine/Types.h"
#include <bit>
#include <cmath>

namespace kiln::emulator {

/// The rounding modes of MODE, with its numbers.
enum class Rounding : u8 { NearestEven, Up, Down, TowardZero };

inline f32 toFloat(f16 half) {
  const u32 sign = u32(half.bits & 0x8000) << 16, exponent = half.bits >> 10 & 31, mantissa = half.bits & 0x3ff;
  if (exponent == 31)
    return std::bit_cast<f32>(sign | 0x7f800000 | mantissa << 13);
  if (exponent)
    return std::bit_cast<f32>(sign | (exponent + 112) << 23 | mantissa << 13);
  // Subnormal: mantissa * 2^-24. Built from bits, because the host may flush subnormal operands.
  if (!mantissa)
    return std::bit_cast<f32>(sign);
  const int shift = std::countl_zero(mantissa) - 21;
  return std::bit_cast<f32>(sign | u32(113 - shift) << 23 | (mantissa << shift & 0x3ff) << 13);
}

/// Rounds once. `value` may be the exact result of an operation on halves (long double has 64 bits of mantissa).
inline f16 toHalf(long double value, Rounding rounding = Rounding::NearestEven) {
  const u16 sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value))
    return {u16(sign | 0x7e00)};
  long double magnitude = std::fabs(value);
  if (std::isinf(value))
    return {u16(sign | 0x7c00)};
  if (magnitude == 0)
    return {sign};
  int exponent = 0;
  std::frexp(magnitude, &exponent); // magnitude is in [2^(exponent-1), 2^exponent)
  const int unit = std::max(exponent - 11, -24);
  const long double scaled = std::ldexp(magnitude, -unit); // below 2^11
  u32 whole = u32(scaled);
  const long double rest = scaled - whole;
  bool up = false;
  switch (rounding) {
  case Rounding::NearestEven:
    up = rest > 0.5L || (rest == 0.5L && (whole & 1));
    break;
  case Rounding::Up:
    up = rest > 0 && !sign;
    break;
  case Rounding::Down:
    up = rest > 0 && sign;
    break;
  case Rounding::TowardZero:
    break;
  }
  whole += up;
  // The sum carries into the exponent as it should. Subnormal numbers have unit -24 and no implicit bit.
  const u32 bits = unit == -24 && whole < 0x400 ? whole : u32(unit + 24) * 0x400 + whole;
  if (bits < 0x7c00)
    return {u16(sign | bits)};
  const bool stays =
      rounding == Rounding::TowardZero || (rounding == Rounding::Up && sign) || (rounding == Rounding::Down && !sign);
  return {u16(sign | (stays ? 0x7bff : 0x7c00))};
}

} // namespace kiln::emulator
