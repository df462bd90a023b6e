// Arithmetic of 32-bit and 64-bit integers in vector registers (VOP1, VOP2, VOP3).
#include "emulator/instructions/AllTables.h"
#include "emulator/machine/Lanes.h"

namespace kiln::emulator {
namespace {

constexpr WithMask<u32> addCarry(u32 a, u32 b, bool carry) {
  const u64 sum = u64(a) + b + carry;
  return {u32(sum), sum >> 32 != 0};
}
constexpr WithMask<u32> subtractBorrow(u32 a, u32 b, bool borrow) { return {a - b - borrow, u64(a) < u64(b) + borrow}; }
template <typename T> constexpr T median(T a, T b, T c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}
constexpr i32 signed24(u32 a) { return i32(a << 8) >> 8; }
constexpr u32 unsigned24(u32 a) { return a & 0xffffff; }
constexpr u32 distance(u32 a, u32 b) { return a > b ? a - b : b - a; }
constexpr u32 byteDistances(u32 a, u32 b) {
  u32 sum = 0;
  for (unsigned shift = 0; shift < 32; shift += 8)
    sum += distance(a >> shift & 0xff, b >> shift & 0xff);
  return sum;
}

const Row rows[] = {
    {"v_add_u32 v_add_nc_u32", lanes<[](u32 a, u32 b) { return exact<u32>(i64(a) + b); }>},
    {"v_sub_u32 v_sub_nc_u32", lanes<[](u32 a, u32 b) { return exact<u32>(i64(a) - b); }>},
    {"v_subrev_u32 v_subrev_nc_u32", lanes<[](u32 a, u32 b) { return exact<u32>(i64(b) - a); }>},
    {"v_add_i32 v_add_nc_i32", lanes<[](i32 a, i32 b) { return exact<i32>(i64(a) + b); }>},
    {"v_sub_i32 v_sub_nc_i32", lanes<[](i32 a, i32 b) { return exact<i32>(i64(a) - b); }>},
    {"v_add_nc_u64", lanes<[](u64 a, u64 b) { return a + b; }>},
    {"v_sub_nc_u64", lanes<[](u64 a, u64 b) { return a - b; }>},
    {"v_add3_u32", lanes<[](u32 a, u32 b, u32 c) { return a + b + c; }>},

    // The second destination has each lane's carry; the last source of *addc* and *subb* has the one before.
    {"v_add_co_u32", lanes<[](u32 a, u32 b) { return addCarry(a, b, false); }>},
    {"v_addc_co_u32 v_add_co_ci_u32", lanes<[](u32 a, u32 b, LaneBit carry) { return addCarry(a, b, carry.set); }>},
    {"v_sub_co_u32", lanes<[](u32 a, u32 b) { return subtractBorrow(a, b, false); }>},
    {"v_subrev_co_u32", lanes<[](u32 a, u32 b) { return subtractBorrow(b, a, false); }>},
    {"v_subb_co_u32 v_sub_co_ci_u32",
     lanes<[](u32 a, u32 b, LaneBit borrow) { return subtractBorrow(a, b, borrow.set); }>},
    {"v_subbrev_co_u32 v_subrev_co_ci_u32",
     lanes<[](u32 a, u32 b, LaneBit borrow) { return subtractBorrow(b, a, borrow.set); }>},

    {"v_mul_lo_u32 v_mul_lo_i32", lanes<[](u32 a, u32 b) { return a * b; }>},
    {"v_mul_hi_u32", lanes<[](u32 a, u32 b) { return u32(u64(a) * b >> 32); }>},
    {"v_mul_hi_i32", lanes<[](i32 a, i32 b) { return i32(i64(a) * b >> 32); }>},
    {"v_mul_u32_u24", lanes<[](u32 a, u32 b) { return unsigned24(a) * unsigned24(b); }>},
    {"v_mul_hi_u32_u24", lanes<[](u32 a, u32 b) { return u32(u64(unsigned24(a)) * unsigned24(b) >> 32); }>},
    {"v_mul_i32_i24", lanes<[](u32 a, u32 b) { return u32(i64(signed24(a)) * signed24(b)); }>},
    {"v_mul_hi_i32_i24", lanes<[](u32 a, u32 b) { return u32(i64(signed24(a)) * signed24(b) >> 32); }>},
    {"v_mad_u32_u24", lanes<[](u32 a, u32 b, u32 c) { return exact<u32>(i64(unsigned24(a)) * unsigned24(b) + c); }>},
    {"v_mad_i32_i24", lanes<[](u32 a, u32 b, i32 c) { return exact<i32>(i64(signed24(a)) * signed24(b) + c); }>},
    {"v_mad_u64_u32 v_mad_co_u64_u32", lanes<[](u32 a, u32 b, u64 c) {
       u64 sum;
       const bool carry = __builtin_add_overflow(u64(a) * b, c, &sum);
       return WithMask<u64>{sum, carry};
     }>},
    {"v_mad_i64_i32 v_mad_co_i64_i32", lanes<[](i32 a, i32 b, i64 c) {
       const __int128 sum = __int128(i64(a) * b) + c;
       return WithMask<i64>{i64(sum), bool(sum >> 64 & 1)};
     }>},
    {"v_mad_u32", lanes<[](u32 a, u32 b, u32 c) { return a * b + c; }>},
    {"v_mul_u64", lanes<[](u64 a, u64 b) { return a * b; }>},

    {"v_min_i32", lanes<[](i32 a, i32 b) { return std::min(a, b); }>},
    {"v_max_i32", lanes<[](i32 a, i32 b) { return std::max(a, b); }>},
    {"v_min_u32", lanes<[](u32 a, u32 b) { return std::min(a, b); }>},
    {"v_max_u32", lanes<[](u32 a, u32 b) { return std::max(a, b); }>},
    {"v_min3_i32", lanes<[](i32 a, i32 b, i32 c) { return std::min({a, b, c}); }>},
    {"v_max3_i32", lanes<[](i32 a, i32 b, i32 c) { return std::max({a, b, c}); }>},
    {"v_min3_u32", lanes<[](u32 a, u32 b, u32 c) { return std::min({a, b, c}); }>},
    {"v_max3_u32", lanes<[](u32 a, u32 b, u32 c) { return std::max({a, b, c}); }>},
    {"v_med3_i32", lanes<[](i32 a, i32 b, i32 c) { return median(a, b, c); }>},
    {"v_med3_u32", lanes<[](u32 a, u32 b, u32 c) { return median(a, b, c); }>},
    {"v_maxmin_i32 v_max_min_i32", lanes<[](i32 a, i32 b, i32 c) { return std::min(std::max(a, b), c); }>},
    {"v_minmax_i32 v_min_max_i32", lanes<[](i32 a, i32 b, i32 c) { return std::max(std::min(a, b), c); }>},
    {"v_maxmin_u32 v_max_min_u32", lanes<[](u32 a, u32 b, u32 c) { return std::min(std::max(a, b), c); }>},
    {"v_minmax_u32 v_min_max_u32", lanes<[](u32 a, u32 b, u32 c) { return std::max(std::min(a, b), c); }>},

    {"v_sad_u8", lanes<[](u32 a, u32 b, u32 c) { return exact<u32>(i64(byteDistances(a, b)) + c); }>},
    {"v_sad_u16", lanes<[](u32 a, u32 b, u32 c) {
       return exact<u32>(i64(distance(a & 0xffff, b & 0xffff)) + distance(a >> 16, b >> 16) + c);
     }>},
    {"v_sad_u32", lanes<[](u32 a, u32 b, u32 c) { return exact<u32>(i64(distance(a, b)) + c); }>},
};

} // namespace

const Table vectorInteger = rows;

} // namespace kiln::emulator
