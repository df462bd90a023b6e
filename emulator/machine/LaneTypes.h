// Parameters and results of an instruction's function that are not plain numbers. Lanes.h reads and writes them.
#pragma once
#include "emulator/machine/Types.h"
#include <type_traits>

namespace kiln::emulator {

class Wave;

// ---- parameters

/// This lane's bit of a mask operand: the selector of v_cndmask_b32, the carry of v_addc_co_u32.
struct LaneBit {
  bool set;
};
/// This lane's bit of VCC, which the text does not name.
struct VccBit {
  bool set;
};
/// The destination's value before, as v_fmac_f32 adds to it.
template <typename T> struct Old {
  T value;
};
/// The wave and the number of the lane, for functions that need more than operands. Takes no operand.
struct LaneContext {
  const Wave &wave;
  unsigned lane;
};

// ---- results

/// The result before it is rounded or wrapped to T: `clamp` limits an integer to T's range, and MODE says how to round
/// an f16.
template <typename T> struct Exact {
  std::conditional_t<std::is_same_v<T, f16>, long double, i64> value;
};
template <typename T, typename V> constexpr Exact<T> exact(V value) {
  return {static_cast<decltype(Exact<T>::value)>(value)};
}

/// A 16-bit result that leaves the high half of the register on every generation.
template <typename T> struct KeepsHigh {
  T value;
};
template <typename T> KeepsHigh<T> keepsHigh(T value) { return {value}; }

/// A result and this lane's bit of the second destination.
template <typename T> struct WithMask {
  T value;
  bool bit;
};

} // namespace kiln::emulator
