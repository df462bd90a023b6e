// Arithmetic and shifts of 16-bit integers in one half of a vector register.
#include "emulator/instructions/AllTables.h"
#include "emulator/machine/Lanes.h"

namespace kiln::emulator {
namespace {

template <typename T> constexpr T median(T a, T b, T c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

const Row rows[] = {
    {"v_add_u16 v_add_nc_u16", lanes<[](u16 a, u16 b) { return exact<u16>(a + b); }>},
    {"v_sub_u16 v_sub_nc_u16", lanes<[](u16 a, u16 b) { return exact<u16>(a - b); }>},
    {"v_subrev_u16", lanes<[](u16 a, u16 b) { return exact<u16>(b - a); }>},
    {"v_add_i16 v_add_nc_i16", lanes<[](i16 a, i16 b) { return exact<i16>(a + b); }>},
    {"v_sub_i16 v_sub_nc_i16", lanes<[](i16 a, i16 b) { return exact<i16>(a - b); }>},
    {"v_mul_lo_u16", lanes<[](u16 a, u16 b) { return u16(u32(a) * b); }>},
    // gfx9 has two forms: the legacy one clears the high half.
    {"v_mad_u16", lanes<[](u16 a, u16 b, u16 c) { return keepsHigh(exact<u16>(i64(a) * b + c)); }>},
    {"v_mad_i16", lanes<[](i16 a, i16 b, i16 c) { return keepsHigh(exact<i16>(i64(a) * b + c)); }>},
    {"v_mad_legacy_u16", lanes<[](u16 a, u16 b, u16 c) { return exact<u16>(i64(a) * b + c); }>},
    {"v_mad_legacy_i16", lanes<[](i16 a, i16 b, i16 c) { return exact<i16>(i64(a) * b + c); }>},
    {"v_mad_u32_u16", lanes<[](u16 a, u16 b, u32 c) { return exact<u32>(i64(a) * b + c); }>},
    {"v_mad_i32_i16", lanes<[](i16 a, i16 b, i32 c) { return exact<i32>(i64(a) * b + c); }>},

    {"v_min_i16", lanes<[](i16 a, i16 b) { return std::min(a, b); }>},
    {"v_max_i16", lanes<[](i16 a, i16 b) { return std::max(a, b); }>},
    {"v_min_u16", lanes<[](u16 a, u16 b) { return std::min(a, b); }>},
    {"v_max_u16", lanes<[](u16 a, u16 b) { return std::max(a, b); }>},
    {"v_min3_i16", lanes<[](i16 a, i16 b, i16 c) { return keepsHigh(std::min({a, b, c})); }>},
    {"v_max3_i16", lanes<[](i16 a, i16 b, i16 c) { return keepsHigh(std::max({a, b, c})); }>},
    {"v_min3_u16", lanes<[](u16 a, u16 b, u16 c) { return keepsHigh(std::min({a, b, c})); }>},
    {"v_max3_u16", lanes<[](u16 a, u16 b, u16 c) { return keepsHigh(std::max({a, b, c})); }>},
    {"v_med3_i16", lanes<[](i16 a, i16 b, i16 c) { return keepsHigh(median(a, b, c)); }>},
    {"v_med3_u16", lanes<[](u16 a, u16 b, u16 c) { return keepsHigh(median(a, b, c)); }>},

    {"v_lshlrev_b16", lanes<[](u16 by, u16 a) { return u16(a << (by & 15)); }>},
    {"v_lshrrev_b16", lanes<[](u16 by, u16 a) { return u16(a >> (by & 15)); }>},
    {"v_ashrrev_i16", lanes<[](u16 by, i16 a) { return i16(a >> (by & 15)); }>},
    {"v_and_b16", lanes<[](u16 a, u16 b) { return u16(a & b); }>},
    {"v_or_b16", lanes<[](u16 a, u16 b) { return u16(a | b); }>},
    {"v_xor_b16", lanes<[](u16 a, u16 b) { return u16(a ^ b); }>},
    {"v_not_b16", lanes<[](u16 a) { return u16(~a); }>},
    {"v_mov_b16", lanes<[](u16 a) { return a; }>},
    {"v_cndmask_b16", lanes<[](u16 a, u16 b, LaneBit second) { return second.set ? b : a; }>},
    {"v_cvt_u32_u16", lanes<[](u16 a) { return u32(a); }>},
    {"v_cvt_i32_i16", lanes<[](i16 a) { return i32(a); }>},
};

} // namespace

const Table vectorHalfInteger = rows;

} // namespace kiln::emulator
