// Arithmetic of f16 in scalar registers, from gfx11.5 on. The high half of the result is 0.
#include "emulator/instructions/AllTables.h"
#include "emulator/instructions/Floats.h"
#include "emulator/machine/Scalars.h"

namespace kiln::emulator {
namespace {

using Wide = long double; // sums and products of halves are exact in it
Wide wide(f16 half) { return toFloat(half); }
f32 number(f16 half) { return toFloat(half); } // a signalling NaN stays one
f16 rounded(Wide value, const Wave &wave) { return toHalf(value, wave.rounding(/*single=*/false)); }
template <typename F> bool compare(f16 x, f16 y, F holds) { return holds(number(x), number(y)); }

const Row rows[] = {
    {"s_add_f16", scalars<[](f16 a, f16 b, const Wave &wave) { return rounded(wide(a) + wide(b), wave); }>},
    {"s_sub_f16", scalars<[](f16 a, f16 b, const Wave &wave) { return rounded(wide(a) - wide(b), wave); }>},
    {"s_mul_f16", scalars<[](f16 a, f16 b, const Wave &wave) { return rounded(wide(a) * wide(b), wave); }>},
    {"s_fmac_f16", scalars<[](f16 a, f16 b, OldScalar<f16> c, const Wave &wave) {
       return rounded(wide(a) * wide(b) + wide(c.value), wave);
     }>},
    {"s_min_f16 s_min_num_f16",
     scalars<[](f16 a, f16 b, const Wave &wave) { return rounded(minimum(number(a), number(b), wave.ieee()), wave); }>},
    {"s_max_f16 s_max_num_f16",
     scalars<[](f16 a, f16 b, const Wave &wave) { return rounded(maximum(number(a), number(b), wave.ieee()), wave); }>},
    {"s_trunc_f16", scalars<[](f16 a, const Wave &wave) { return rounded(std::trunc(number(a)), wave); }>},
    {"s_ceil_f16", scalars<[](f16 a, const Wave &wave) { return rounded(std::ceil(number(a)), wave); }>},
    {"s_floor_f16", scalars<[](f16 a, const Wave &wave) { return rounded(std::floor(number(a)), wave); }>},
    {"s_rndne_f16", scalars<[](f16 a, const Wave &wave) { return rounded(__builtin_roundevenf(number(a)), wave); }>},
    {"s_cvt_f32_f16", scalars<[](f16 a) { return number(a); }>},
    {"s_cvt_hi_f32_f16", scalars<[](u32 a) { return number(f16{u16(a >> 16)}); }>},
    {"s_cvt_f16_f32", scalars<[](f32 a, const Wave &wave) { return rounded(a, wave); }>},
    {"s_cvt_pk_rtz_f16_f32", scalars<[](f32 a, f32 b) {
       return u32(toHalf(a, Rounding::TowardZero).bits | toHalf(b, Rounding::TowardZero).bits << 16);
     }>},
    {"s_cmp_lt_f16", scalars<[](f16 x, f16 y) { return compare(x, y, [](f32 a, f32 b) { return a < b; }); }>},
    {"s_cmp_eq_f16", scalars<[](f16 x, f16 y) { return compare(x, y, [](f32 a, f32 b) { return a == b; }); }>},
    {"s_cmp_le_f16", scalars<[](f16 x, f16 y) { return compare(x, y, [](f32 a, f32 b) { return a <= b; }); }>},
    {"s_cmp_gt_f16", scalars<[](f16 x, f16 y) { return compare(x, y, [](f32 a, f32 b) { return a > b; }); }>},
    {"s_cmp_lg_f16", scalars<[](f16 x, f16 y) { return compare(x, y, [](f32 a, f32 b) { return a < b || a > b; }); }>},
    {"s_cmp_ge_f16", scalars<[](f16 x, f16 y) { return compare(x, y, [](f32 a, f32 b) { return a >= b; }); }>},
    {"s_cmp_o_f16", scalars<[](f16 x, f16 y) { return compare(x, y, [](f32 a, f32 b) { return a == a && b == b; }); }>},
    {"s_cmp_u_f16", scalars<[](f16 x, f16 y) { return compare(x, y, [](f32 a, f32 b) { return a != a || b != b; }); }>},
    {"s_cmp_nge_f16", scalars<[](f16 x, f16 y) { return compare(x, y, [](f32 a, f32 b) { return !(a >= b); }); }>},
    {"s_cmp_nlg_f16",
     scalars<[](f16 x, f16 y) { return compare(x, y, [](f32 a, f32 b) { return !(a < b || a > b); }); }>},
    {"s_cmp_ngt_f16", scalars<[](f16 x, f16 y) { return compare(x, y, [](f32 a, f32 b) { return !(a > b); }); }>},
    {"s_cmp_nle_f16", scalars<[](f16 x, f16 y) { return compare(x, y, [](f32 a, f32 b) { return !(a <= b); }); }>},
    {"s_cmp_neq_f16", scalars<[](f16 x, f16 y) { return compare(x, y, [](f32 a, f32 b) { return !(a == b); }); }>},
    {"s_cmp_nlt_f16", scalars<[](f16 x, f16 y) { return compare(x, y, [](f32 a, f32 b) { return !(a < b); }); }>},
};

} // namespace

const Table scalarHalf = rows;

} // namespace kiln::emulator
