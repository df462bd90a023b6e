// Arithmetic of f16 in one half of a vector register. Sums and products of halves are exact in long double; the result
// is rounded once, when it is stored.
#include "emulator/instructions/AllTables.h"
#include "emulator/instructions/Floats.h"
#include "emulator/machine/Lanes.h"

namespace kiln::emulator {
namespace {

using Wide = long double;
Wide wide(f16 half) { return toFloat(half); }
Exact<f16> rounded(Wide value) { return exact<f16>(value); }

bool ieee(LaneContext at) { return at.wave.ieee(); }
f32 number(f16 half) { return toFloat(half); } // a signalling NaN stays one

const Row rows[] = {
    {"v_add_f16", lanes<[](f16 a, f16 b) { return rounded(wide(a) + wide(b)); }>},
    {"v_sub_f16", lanes<[](f16 a, f16 b) { return rounded(wide(a) - wide(b)); }>},
    {"v_subrev_f16", lanes<[](f16 a, f16 b) { return rounded(wide(b) - wide(a)); }>},
    {"v_mul_f16", lanes<[](f16 a, f16 b) { return rounded(wide(a) * wide(b)); }>},
    {"v_fma_f16", lanes<[](f16 a, f16 b, f16 c) { return keepsHigh(rounded(wide(a) * wide(b) + wide(c))); }>},
    {"v_fmac_f16", lanes<[](f16 a, f16 b, Old<f16> c) { return rounded(wide(a) * wide(b) + wide(c.value)); }>},
    {"v_fmaak_f16", lanes<[](f16 a, f16 b, f16 k) { return rounded(wide(a) * wide(b) + wide(k)); }>},
    {"v_fmamk_f16", lanes<[](f16 a, f16 k, f16 b) { return rounded(wide(a) * wide(k) + wide(b)); }>},
    {"v_min_f16 v_min_num_f16",
     lanes<[](f16 a, f16 b, LaneContext at) { return rounded(minimum(number(a), number(b), ieee(at))); }>},
    {"v_max_f16 v_max_num_f16",
     lanes<[](f16 a, f16 b, LaneContext at) { return rounded(maximum(number(a), number(b), ieee(at))); }>},
    {"v_min3_f16 v_min3_num_f16", lanes<[](f16 a, f16 b, f16 c, LaneContext at) {
       return keepsHigh(rounded(minimum(minimum(number(a), number(b), ieee(at)), number(c), ieee(at))));
     }>},
    {"v_max3_f16 v_max3_num_f16", lanes<[](f16 a, f16 b, f16 c, LaneContext at) {
       return keepsHigh(rounded(maximum(maximum(number(a), number(b), ieee(at)), number(c), ieee(at))));
     }>},
    {"v_med3_f16 v_med3_num_f16", lanes<[](f16 a, f16 b, f16 c, LaneContext at) {
       return keepsHigh(rounded(medianOf(number(a), number(b), number(c), ieee(at))));
     }>},
    {"v_trunc_f16", lanes<[](f16 a) { return rounded(std::trunc(number(a))); }>},
    {"v_ceil_f16", lanes<[](f16 a) { return rounded(std::ceil(number(a))); }>},
    {"v_floor_f16", lanes<[](f16 a) { return rounded(std::floor(number(a))); }>},
    {"v_rndne_f16", lanes<[](f16 a) { return rounded(__builtin_roundeven(number(a))); }>},
    {"v_fract_f16", lanes<[](f16 a) { return rounded(number(a) - std::floor(number(a))); }>},
    {"v_ldexp_f16", lanes<[](f16 a, i16 exponent) { return rounded(std::ldexp(wide(a), exponent)); }>},
    {"v_frexp_mant_f16", lanes<[](f16 a) { return rounded(frexpMantissa(number(a))); }>},
    {"v_frexp_exp_i16_f16", lanes<[](f16 a) { return i16(frexpExponent(number(a))); }>},
};

} // namespace

const Table vectorHalf = rows;

} // namespace kiln::emulator
