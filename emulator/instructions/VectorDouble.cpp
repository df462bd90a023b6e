// Arithmetic of f64 in pairs of vector registers.
#include "emulator/instructions/AllTables.h"
#include "emulator/instructions/Floats.h"
#include "emulator/machine/Lanes.h"

namespace kiln::emulator {
namespace {

const Row rows[] = {
    {"v_add_f64", lanes<[](f64 a, f64 b) { return a + b; }>},
    {"v_mul_f64", lanes<[](f64 a, f64 b) { return a * b; }>},
    {"v_fma_f64", lanes<[](f64 a, f64 b, f64 c) { return std::fma(a, b, c); }>},
    {"v_fmac_f64", lanes<[](f64 a, f64 b, Old<f64> c) { return std::fma(a, b, c.value); }>},
    {"v_min_f64 v_min_num_f64", lanes<[](f64 a, f64 b, LaneContext at) { return minimum(a, b, at.wave.ieee()); }>},
    {"v_max_f64 v_max_num_f64", lanes<[](f64 a, f64 b, LaneContext at) { return maximum(a, b, at.wave.ieee()); }>},
    {"v_trunc_f64", lanes<[](f64 a) { return std::trunc(a); }>},
    {"v_ceil_f64", lanes<[](f64 a) { return std::ceil(a); }>},
    {"v_floor_f64", lanes<[](f64 a) { return std::floor(a); }>},
    {"v_rndne_f64", lanes<[](f64 a) { return __builtin_roundeven(a); }>},
    {"v_fract_f64", lanes<[](f64 a) { return a - std::floor(a); }>},
    {"v_ldexp_f64", lanes<[](f64 a, i32 exponent) { return std::ldexp(a, exponent); }>},
    {"v_frexp_mant_f64", lanes<[](f64 a) { return frexpMantissa(a); }>},
    {"v_frexp_exp_i32_f64", lanes<[](f64 a) { return frexpExponent(a); }>},
};

} // namespace

const Table vectorDouble = rows;

} // namespace kiln::emulator
