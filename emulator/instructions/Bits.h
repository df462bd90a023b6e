// Operations on bits that several instructions share.
#pragma once
#include "emulator/machine/Types.h"
#include <algorithm>
#include <bit>

namespace kiln::emulator {

inline u32 reverseBits(u32 value) { return __builtin_bitreverse32(value); }

/// `count` bits from bit `at`.
inline u64 bitField(u64 value, unsigned at, unsigned count) {
  return count >= 64 ? value >> at : value >> at & ((u64(1) << count) - 1);
}
inline i64 signedBitField(u64 value, unsigned at, unsigned count) {
  if (!count)
    return 0;
  if (count >= 64)
    return i64(value) >> at;
  return i64(bitField(value, at, count) << (64 - count)) >> (64 - count);
}

/// The number of leading bits that are equal to the sign bit; -1 if all are.
template <typename T> i32 countSigns(T value) {
  const auto bits = std::make_unsigned_t<T>(value < 0 ? ~value : value);
  return bits ? std::countl_zero(bits) : -1;
}

/// All four bits of each quad that has a bit.
inline u64 wholeQuads(u64 mask) {
  u64 any = (mask | mask >> 1 | mask >> 2 | mask >> 3) & 0x1111'1111'1111'1111;
  return any * 0xf;
}

} // namespace kiln::emulator
