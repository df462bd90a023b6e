// The types of the instruction set, under the names that AMD's manuals and the mnemonics use: v_add_f32, s_mul_i32.
#pragma once
#include <cstdint>

namespace kiln::emulator {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using i8 = int8_t;
using i16 = int16_t;
using i32 = int32_t;
using i64 = int64_t;
using f32 = float;
using f64 = double;

/// A number of IEEE 754's binary16, as its bits. Arithmetic is in Half.h.
struct f16 {
  u16 bits = 0;
};

} // namespace kiln::emulator
