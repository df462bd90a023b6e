// Arithmetic of f32 in scalar registers, from gfx11.5 on.
#include "emulator/instructions/AllTables.h"
#include "emulator/instructions/Floats.h"
#include "emulator/machine/Scalars.h"

namespace kiln::emulator {
namespace {

const Row rows[] = {
    {"s_add_f32", scalars<[](f32 a, f32 b) { return a + b; }>},
    {"s_sub_f32", scalars<[](f32 a, f32 b) { return a - b; }>},
    {"s_mul_f32", scalars<[](f32 a, f32 b) { return a * b; }>},
    {"s_fmac_f32", scalars<[](f32 a, f32 b, OldScalar<f32> c) { return std::fma(a, b, c.value); }>},
    {"s_fmaak_f32", scalars<[](f32 a, f32 b, f32 k) { return std::fma(a, b, k); }>},
    {"s_fmamk_f32", scalars<[](f32 a, f32 k, f32 b) { return std::fma(a, k, b); }>},
    {"s_min_f32 s_min_num_f32", scalars<[](f32 a, f32 b, const Wave &wave) { return minimum(a, b, wave.ieee()); }>},
    {"s_max_f32 s_max_num_f32", scalars<[](f32 a, f32 b, const Wave &wave) { return maximum(a, b, wave.ieee()); }>},
    {"s_trunc_f32", scalars<[](f32 a) { return std::trunc(a); }>},
    {"s_ceil_f32", scalars<[](f32 a) { return std::ceil(a); }>},
    {"s_floor_f32", scalars<[](f32 a) { return std::floor(a); }>},
    {"s_rndne_f32", scalars<[](f32 a) { return __builtin_roundevenf(a); }>},
    {"s_cvt_f32_i32", scalars<[](i32 a) { return f32(a); }>},
    {"s_cvt_f32_u32", scalars<[](u32 a) { return f32(a); }>},
    {"s_cvt_i32_f32", scalars<[](f32 a) { return toInteger<i32>(a); }>},
    {"s_cvt_u32_f32", scalars<[](f32 a) { return toInteger<u32>(a); }>},
    {"s_cmp_lt_f32", scalars<[](f32 a, f32 b) { return a < b; }>},
    {"s_cmp_eq_f32", scalars<[](f32 a, f32 b) { return a == b; }>},
    {"s_cmp_le_f32", scalars<[](f32 a, f32 b) { return a <= b; }>},
    {"s_cmp_gt_f32", scalars<[](f32 a, f32 b) { return a > b; }>},
    {"s_cmp_lg_f32", scalars<[](f32 a, f32 b) { return a < b || a > b; }>},
    {"s_cmp_ge_f32", scalars<[](f32 a, f32 b) { return a >= b; }>},
    {"s_cmp_o_f32", scalars<[](f32 a, f32 b) { return a == a && b == b; }>},
    {"s_cmp_u_f32", scalars<[](f32 a, f32 b) { return std::isnan(a) || std::isnan(b); }>},
    {"s_cmp_nge_f32", scalars<[](f32 a, f32 b) { return !(a >= b); }>},
    {"s_cmp_nlg_f32", scalars<[](f32 a, f32 b) { return !(a < b || a > b); }>},
    {"s_cmp_ngt_f32", scalars<[](f32 a, f32 b) { return !(a > b); }>},
    {"s_cmp_nle_f32", scalars<[](f32 a, f32 b) { return !(a <= b); }>},
    {"s_cmp_neq_f32", scalars<[](f32 a, f32 b) { return !(a == b); }>},
    {"s_cmp_nlt_f32", scalars<[](f32 a, f32 b) { return !(a < b); }>},
};

} // namespace

const Table scalarFloat = rows;

} // namespace kiln::emulator
