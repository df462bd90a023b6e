// Arithmetic, logic and comparison of scalar registers (SOP1, SOP2, SOPC, SOPK).
#include "emulator/instructions/AllTables.h"
#include "emulator/instructions/Bits.h"
#include "emulator/machine/Scalars.h"

namespace kiln::emulator {
namespace {

// SCC of a signed addition or subtraction is its overflow.
WithScc<i32> addSigned(i32 a, i32 b) {
  i32 sum;
  const bool overflow = __builtin_add_overflow(a, b, &sum);
  return {sum, overflow};
}
WithScc<i32> subtractSigned(i32 a, i32 b) {
  i32 difference;
  const bool overflow = __builtin_sub_overflow(a, b, &difference);
  return {difference, overflow};
}
WithScc<u32> shiftAdd(u32 a, unsigned by, u32 b) {
  const u64 sum = (u64(a) << by) + b;
  return {u32(sum), sum >> 32 != 0};
}

const Row rows[] = {
    {"s_mov_b32", scalars<[](u32 a) { return a; }>},
    {"s_movk_i32", scalars<[](u32 a) { return i32(i16(a)); }>},
    {"s_mov_b64", scalars<[](u64 a) { return a; }>},
    {"s_cmovk_i32", scalars<[](u32 a, SccBit scc, OldScalar<u32> old) { return scc.set ? u32(i16(a)) : old.value; }>},
    {"s_cmov_b32", scalars<[](u32 a, SccBit scc, OldScalar<u32> old) { return scc.set ? a : old.value; }>},
    {"s_cmov_b64", scalars<[](u64 a, SccBit scc, OldScalar<u64> old) { return scc.set ? a : old.value; }>},
    {"s_cselect_b32", scalars<[](u32 a, u32 b, SccBit scc) { return scc.set ? a : b; }>},
    {"s_cselect_b64", scalars<[](u64 a, u64 b, SccBit scc) { return scc.set ? a : b; }>},

    {"s_add_u32 s_add_co_u32", scalars<[](u32 a, u32 b) { return withScc(a + b, a + b < a); }>},
    {"s_addc_u32 s_add_co_ci_u32", scalars<[](u32 a, u32 b, SccBit carry) {
       const u64 sum = u64(a) + b + carry.set;
       return withScc(u32(sum), sum >> 32 != 0);
     }>},
    {"s_sub_u32 s_sub_co_u32", scalars<[](u32 a, u32 b) { return withScc(a - b, a < b); }>},
    {"s_subb_u32 s_sub_co_ci_u32",
     scalars<[](u32 a, u32 b, SccBit borrow) { return withScc(a - b - borrow.set, u64(a) < u64(b) + borrow.set); }>},
    {"s_add_i32 s_add_co_i32", scalars<[](i32 a, i32 b) { return addSigned(a, b); }>},
    {"s_sub_i32 s_sub_co_i32", scalars<[](i32 a, i32 b) { return subtractSigned(a, b); }>},
    {"s_addk_i32 s_addk_co_i32", scalars<[](i32 b, OldScalar<i32> a) { return addSigned(a.value, i16(b)); }>},
    {"s_mulk_i32", scalars<[](u32 b, OldScalar<u32> a) { return a.value * u32(i16(b)); }>},
    {"s_mul_i32", scalars<[](u32 a, u32 b) { return a * b; }>},
    {"s_mul_hi_u32", scalars<[](u32 a, u32 b) { return u32(u64(a) * b >> 32); }>},
    {"s_mul_hi_i32", scalars<[](i32 a, i32 b) { return i32(i64(a) * b >> 32); }>},
    {"s_add_nc_u64 s_add_u64", scalars<[](u64 a, u64 b) { return a + b; }>},
    {"s_sub_nc_u64 s_sub_u64", scalars<[](u64 a, u64 b) { return a - b; }>},
    {"s_mul_u64", scalars<[](u64 a, u64 b) { return a * b; }>},
    {"s_lshl1_add_u32", scalars<[](u32 a, u32 b) { return shiftAdd(a, 1, b); }>},
    {"s_lshl2_add_u32", scalars<[](u32 a, u32 b) { return shiftAdd(a, 2, b); }>},
    {"s_lshl3_add_u32", scalars<[](u32 a, u32 b) { return shiftAdd(a, 3, b); }>},
    {"s_lshl4_add_u32", scalars<[](u32 a, u32 b) { return shiftAdd(a, 4, b); }>},
    {"s_min_i32", scalars<[](i32 a, i32 b) { return withScc(std::min(a, b), a < b); }>},
    {"s_min_u32", scalars<[](u32 a, u32 b) { return withScc(std::min(a, b), a < b); }>},
    {"s_max_i32", scalars<[](i32 a, i32 b) { return withScc(std::max(a, b), a >= b); }>},
    {"s_max_u32", scalars<[](u32 a, u32 b) { return withScc(std::max(a, b), a >= b); }>},
    {"s_abs_i32", scalars<[](i32 a) { return sccIfNonzero(a < 0 ? 0 - u32(a) : u32(a)); }>},
    // The difference wraps around before its sign is dropped.
    {"s_absdiff_i32", scalars<[](i32 a, i32 b) {
       const u32 difference = u32(a) - u32(b);
       return sccIfNonzero(i32(difference) < 0 ? 0 - difference : difference);
     }>},
    {"s_sext_i32_i8", scalars<[](u32 a) { return i32(i8(a)); }>},
    {"s_sext_i32_i16", scalars<[](u32 a) { return i32(i16(a)); }>},

    {"s_and_b32", scalars<[](u32 a, u32 b) { return sccIfNonzero(a & b); }>},
    {"s_and_b64", scalars<[](u64 a, u64 b) { return sccIfNonzero(a & b); }>},
    {"s_or_b32", scalars<[](u32 a, u32 b) { return sccIfNonzero(a | b); }>},
    {"s_or_b64", scalars<[](u64 a, u64 b) { return sccIfNonzero(a | b); }>},
    {"s_xor_b32", scalars<[](u32 a, u32 b) { return sccIfNonzero(a ^ b); }>},
    {"s_xor_b64", scalars<[](u64 a, u64 b) { return sccIfNonzero(a ^ b); }>},
    {"s_andn2_b32 s_and_not1_b32", scalars<[](u32 a, u32 b) { return sccIfNonzero(a & ~b); }>},
    {"s_andn2_b64 s_and_not1_b64", scalars<[](u64 a, u64 b) { return sccIfNonzero(a & ~b); }>},
    {"s_orn2_b32 s_or_not1_b32", scalars<[](u32 a, u32 b) { return sccIfNonzero(a | ~b); }>},
    {"s_orn2_b64 s_or_not1_b64", scalars<[](u64 a, u64 b) { return sccIfNonzero(a | ~b); }>},
    {"s_nand_b32", scalars<[](u32 a, u32 b) { return sccIfNonzero(~(a & b)); }>},
    {"s_nand_b64", scalars<[](u64 a, u64 b) { return sccIfNonzero(~(a & b)); }>},
    {"s_nor_b32", scalars<[](u32 a, u32 b) { return sccIfNonzero(~(a | b)); }>},
    {"s_nor_b64", scalars<[](u64 a, u64 b) { return sccIfNonzero(~(a | b)); }>},
    {"s_xnor_b32", scalars<[](u32 a, u32 b) { return sccIfNonzero(~(a ^ b)); }>},
    {"s_xnor_b64", scalars<[](u64 a, u64 b) { return sccIfNonzero(~(a ^ b)); }>},
    {"s_not_b32", scalars<[](u32 a) { return sccIfNonzero(~a); }>},
    {"s_not_b64", scalars<[](u64 a) { return sccIfNonzero(~a); }>},

    {"s_lshl_b32", scalars<[](u32 a, u32 by) { return sccIfNonzero(a << (by & 31)); }>},
    {"s_lshl_b64", scalars<[](u64 a, u32 by) { return sccIfNonzero(a << (by & 63)); }>},
    {"s_lshr_b32", scalars<[](u32 a, u32 by) { return sccIfNonzero(a >> (by & 31)); }>},
    {"s_lshr_b64", scalars<[](u64 a, u32 by) { return sccIfNonzero(a >> (by & 63)); }>},
    {"s_ashr_i32", scalars<[](i32 a, u32 by) { return sccIfNonzero(a >> (by & 31)); }>},
    {"s_ashr_i64", scalars<[](i64 a, u32 by) { return sccIfNonzero(a >> (by & 63)); }>},
    {"s_bfm_b32", scalars<[](u32 count, u32 at) { return ((1u << (count & 31)) - 1) << (at & 31); }>},
    {"s_bfm_b64", scalars<[](u32 count, u32 at) { return ((u64(1) << (count & 63)) - 1) << (at & 63); }>},
    // The field is (bits 22:16 count, bits 5:0 position).
    {"s_bfe_u32",
     scalars<[](u32 a, u32 field) { return sccIfNonzero(u32(bitField(a, field & 31, field >> 16 & 127))); }>},
    {"s_bfe_u64", scalars<[](u64 a, u32 field) { return sccIfNonzero(bitField(a, field & 63, field >> 16 & 127)); }>},
    {"s_bfe_i32", scalars<[](u32 a, u32 field) {
       return sccIfNonzero(
           i32(signedBitField(u64(i64(i32(a))), field & 31, std::min(field >> 16 & 127, 32 - (field & 31)))));
     }>},
    {"s_bfe_i64", scalars<[](u64 a, u32 field) {
       return sccIfNonzero(signedBitField(a, field & 63, std::min(field >> 16 & 127, 64 - (field & 63))));
     }>},
    {"s_brev_b32", scalars<[](u32 a) { return reverseBits(a); }>},
    {"s_brev_b64", scalars<[](u64 a) { return u64(reverseBits(u32(a))) << 32 | reverseBits(u32(a >> 32)); }>},
    {"s_bcnt0_i32_b32", scalars<[](u32 a) { return sccIfNonzero(u32(std::popcount(~a))); }>},
    {"s_bcnt0_i32_b64", scalars<[](u64 a) { return sccIfNonzero(u32(std::popcount(~a))); }>},
    {"s_bcnt1_i32_b32", scalars<[](u32 a) { return sccIfNonzero(u32(std::popcount(a))); }>},
    {"s_bcnt1_i32_b64", scalars<[](u64 a) { return sccIfNonzero(u32(std::popcount(a))); }>},
    {"s_ff1_i32_b32 s_ctz_i32_b32", scalars<[](u32 a) { return a ? std::countr_zero(a) : -1; }>},
    {"s_ff1_i32_b64 s_ctz_i32_b64", scalars<[](u64 a) { return a ? std::countr_zero(a) : -1; }>},
    {"s_flbit_i32_b32 s_clz_i32_u32", scalars<[](u32 a) { return a ? std::countl_zero(a) : -1; }>},
    {"s_flbit_i32_b64 s_clz_i32_u64", scalars<[](u64 a) { return a ? std::countl_zero(a) : -1; }>},
    {"s_flbit_i32 s_cls_i32", scalars<[](i32 a) { return countSigns(a); }>},
    {"s_flbit_i32_i64 s_cls_i32_i64", scalars<[](i64 a) { return countSigns(a); }>},
    {"s_bitset0_b32", scalars<[](u32 bit, OldScalar<u32> old) { return old.value & ~(1u << (bit & 31)); }>},
    {"s_bitset1_b32", scalars<[](u32 bit, OldScalar<u32> old) { return old.value | 1u << (bit & 31); }>},
    {"s_bitset0_b64", scalars<[](u32 bit, OldScalar<u64> old) { return old.value & ~(u64(1) << (bit & 63)); }>},
    {"s_bitset1_b64", scalars<[](u32 bit, OldScalar<u64> old) { return old.value | u64(1) << (bit & 63); }>},
    {"s_pack_ll_b32_b16", scalars<[](u32 a, u32 b) { return (a & 0xffff) | b << 16; }>},
    {"s_pack_lh_b32_b16", scalars<[](u32 a, u32 b) { return (a & 0xffff) | (b & 0xffff0000); }>},
    {"s_pack_hl_b32_b16", scalars<[](u32 a, u32 b) { return a >> 16 | b << 16; }>},
    {"s_pack_hh_b32_b16", scalars<[](u32 a, u32 b) { return a >> 16 | (b & 0xffff0000); }>},

    {"s_cmp_eq_i32 s_cmp_eq_u32", scalars<[](u32 a, u32 b) { return a == b; }>},
    {"s_cmp_lg_i32 s_cmp_lg_u32", scalars<[](u32 a, u32 b) { return a != b; }>},
    {"s_cmp_gt_i32", scalars<[](i32 a, i32 b) { return a > b; }>},
    {"s_cmp_ge_i32", scalars<[](i32 a, i32 b) { return a >= b; }>},
    {"s_cmp_lt_i32", scalars<[](i32 a, i32 b) { return a < b; }>},
    {"s_cmp_le_i32", scalars<[](i32 a, i32 b) { return a <= b; }>},
    {"s_cmp_gt_u32", scalars<[](u32 a, u32 b) { return a > b; }>},
    {"s_cmp_ge_u32", scalars<[](u32 a, u32 b) { return a >= b; }>},
    {"s_cmp_lt_u32", scalars<[](u32 a, u32 b) { return a < b; }>},
    {"s_cmp_le_u32", scalars<[](u32 a, u32 b) { return a <= b; }>},
    {"s_cmp_eq_u64", scalars<[](u64 a, u64 b) { return a == b; }>},
    {"s_cmp_lg_u64", scalars<[](u64 a, u64 b) { return a != b; }>},
    {"s_bitcmp0_b32", scalars<[](u32 a, u32 bit) { return !(a >> (bit & 31) & 1); }>},
    {"s_bitcmp1_b32", scalars<[](u32 a, u32 bit) { return bool(a >> (bit & 31) & 1); }>},
    {"s_bitcmp0_b64", scalars<[](u64 a, u32 bit) { return !(a >> (bit & 63) & 1); }>},
    {"s_bitcmp1_b64", scalars<[](u64 a, u32 bit) { return bool(a >> (bit & 63) & 1); }>},
    // With a constant of 16 bits.
    {"s_cmpk_eq_i32", scalars<[](i32 a, i32 b) { return a == i16(b); }>},
    {"s_cmpk_lg_i32", scalars<[](i32 a, i32 b) { return a != i16(b); }>},
    {"s_cmpk_gt_i32", scalars<[](i32 a, i32 b) { return a > i16(b); }>},
    {"s_cmpk_ge_i32", scalars<[](i32 a, i32 b) { return a >= i16(b); }>},
    {"s_cmpk_lt_i32", scalars<[](i32 a, i32 b) { return a < i16(b); }>},
    {"s_cmpk_le_i32", scalars<[](i32 a, i32 b) { return a <= i16(b); }>},
    {"s_cmpk_eq_u32", scalars<[](u32 a, u32 b) { return a == u16(b); }>},
    {"s_cmpk_lg_u32", scalars<[](u32 a, u32 b) { return a != u16(b); }>},
    {"s_cmpk_gt_u32", scalars<[](u32 a, u32 b) { return a > u16(b); }>},
    {"s_cmpk_ge_u32", scalars<[](u32 a, u32 b) { return a >= u16(b); }>},
    {"s_cmpk_lt_u32", scalars<[](u32 a, u32 b) { return a < u16(b); }>},
    {"s_cmpk_le_u32", scalars<[](u32 a, u32 b) { return a <= u16(b); }>},

    // Masks. The first operand of *_saveexec takes EXEC's value; SCC is whether the new EXEC is other than 0.
    {"s_wqm_b64", scalars<[](u64 a) { return sccIfNonzero(wholeQuads(a)); }>},
    {"s_wqm_b32", scalars<[](u32 a) { return sccIfNonzero(u32(wholeQuads(a))); }>},
};

} // namespace

const Table scalarArithmetic = rows;

} // namespace kiln::emulator
