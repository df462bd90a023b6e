// Logic, shifts and bit fields of vector registers.
#include "emulator/instructions/AllTables.h"
#include "emulator/instructions/Bits.h"
#include "emulator/machine/Lanes.h"

namespace kiln::emulator {
namespace {

/// One byte of the result of v_perm_b32: a byte of b (0 to 3) or a (4 to 7), copies of a sign, or a constant.
u32 permutedByte(u32 a, u32 b, u32 selector) {
  const u64 both = u64(a) << 32 | b;
  if (selector < 8)
    return both >> selector * 8 & 0xff;
  if (selector < 12) // the sign of bytes 1, 3, 5 and 7
    return both >> ((selector - 8) * 16 + 15) & 1 ? 0xff : 0;
  return selector == 12 ? 0 : 0xff;
}
u32 permuteBytes(u32 a, u32 b, u32 selectors) {
  u32 result = 0;
  for (unsigned shift = 0; shift < 32; shift += 8)
    result |= permutedByte(a, b, selectors >> shift & 0xff) << shift;
  return result;
}

/// The number of bits of a mask's low or high half that belong to lanes before `lane`.
u32 countBefore(u32 mask, unsigned lane, bool highHalf) {
  const u64 before = (u64(1) << lane) - 1;
  return u32(std::popcount(mask & u32(highHalf ? before >> 32 : before)));
}

const Row rows[] = {
    {"v_and_b32", lanes<[](u32 a, u32 b) { return a & b; }>},
    {"v_or_b32", lanes<[](u32 a, u32 b) { return a | b; }>},
    {"v_xor_b32", lanes<[](u32 a, u32 b) { return a ^ b; }>},
    {"v_xnor_b32", lanes<[](u32 a, u32 b) { return ~(a ^ b); }>},
    {"v_not_b32", lanes<[](u32 a) { return ~a; }>},
    {"v_or3_b32", lanes<[](u32 a, u32 b, u32 c) { return a | b | c; }>},
    {"v_xor3_b32", lanes<[](u32 a, u32 b, u32 c) { return a ^ b ^ c; }>},
    {"v_and_or_b32", lanes<[](u32 a, u32 b, u32 c) { return (a & b) | c; }>},
    {"v_lshl_or_b32", lanes<[](u32 a, u32 by, u32 c) { return a << (by & 31) | c; }>},
    {"v_lshl_add_u32", lanes<[](u32 a, u32 by, u32 c) { return (a << (by & 31)) + c; }>},
    {"v_lshl_add_u64", lanes<[](u64 a, u32 by, u64 c) { return (a << (by & 7)) + c; }>},
    {"v_add_lshl_u32", lanes<[](u32 a, u32 b, u32 by) { return (a + b) << (by & 31); }>},
    {"v_xad_u32", lanes<[](u32 a, u32 b, u32 c) { return (a ^ b) + c; }>},

    {"v_lshlrev_b32", lanes<[](u32 by, u32 a) { return a << (by & 31); }>},
    {"v_lshrrev_b32", lanes<[](u32 by, u32 a) { return a >> (by & 31); }>},
    {"v_ashrrev_i32", lanes<[](u32 by, i32 a) { return a >> (by & 31); }>},
    {"v_lshlrev_b64", lanes<[](u32 by, u64 a) { return a << (by & 63); }>},
    {"v_lshrrev_b64", lanes<[](u32 by, u64 a) { return a >> (by & 63); }>},
    {"v_ashrrev_i64", lanes<[](u32 by, i64 a) { return a >> (by & 63); }>},
    {"v_alignbit_b32", lanes<[](u32 high, u32 low, u32 by) { return u32((u64(high) << 32 | low) >> (by & 31)); }>},
    {"v_alignbyte_b32", lanes<[](u32 high, u32 low, u32 by) { return u32((u64(high) << 32 | low) >> (by & 3) * 8); }>},

    {"v_bfe_u32", lanes<[](u32 a, u32 at, u32 count) { return u32(bitField(a, at & 31, count & 31)); }>},
    {"v_bfe_i32", lanes<[](i32 a, u32 at, u32 count) {
       return i32(signedBitField(u64(i64(a)), at & 31, std::min(count & 31, 32 - (at & 31))));
     }>},
    {"v_bfi_b32", lanes<[](u32 mask, u32 a, u32 b) { return (mask & a) | (~mask & b); }>},
    {"v_bfm_b32", lanes<[](u32 count, u32 at) { return ((1u << (count & 31)) - 1) << (at & 31); }>},
    {"v_bfrev_b32", lanes<[](u32 a) { return reverseBits(a); }>},
    {"v_bcnt_u32_b32", lanes<[](u32 a, u32 b) { return u32(std::popcount(a)) + b; }>},
    {"v_ffbh_u32 v_clz_i32_u32", lanes<[](u32 a) { return a ? std::countl_zero(a) : -1; }>},
    {"v_ffbl_b32 v_ctz_i32_b32", lanes<[](u32 a) { return a ? std::countr_zero(a) : -1; }>},
    {"v_ffbh_i32 v_cls_i32", lanes<[](i32 a) { return countSigns(a); }>},
    {"v_perm_b32", lanes<[](u32 a, u32 b, u32 selectors) { return permuteBytes(a, b, selectors); }>},
    {"v_mbcnt_lo_u32_b32",
     lanes<[](u32 mask, u32 b, LaneContext at) { return countBefore(mask, at.lane, false) + b; }>},
    {"v_mbcnt_hi_u32_b32", lanes<[](u32 mask, u32 b, LaneContext at) { return countBefore(mask, at.lane, true) + b; }>},
    {"v_pack_b32_f16", lanes<[](u16 a, u16 b) { return u32(a) | u32(b) << 16; }>},
};

} // namespace

const Table vectorBits = rows;

} // namespace kiln::emulator
