// Arithmetic of f32 in vector registers. Rounding and denormals are the host's, set as MODE says (HostFloat.h).
#include "emulator/instructions/AllTables.h"
#include "emulator/instructions/Floats.h"
#include "emulator/machine/Lanes.h"

namespace kiln::emulator {
namespace {

/// 0 * anything is 0.
f32 multiplyLegacy(f32 a, f32 b) { return a == 0 || b == 0 ? 0.0f : a * b; }

/// Rounds the product. Denormals are 0, whatever MODE says.
f32 multiplyAdd(f32 a, f32 b, f32 c) {
  const f32 product = flushDenormal(flushDenormal(a) * flushDenormal(b));
  return flushDenormal(product + flushDenormal(c));
}

const Row rows[] = {
    {"v_add_f32", lanes<[](f32 a, f32 b) { return a + b; }>},
    {"v_sub_f32", lanes<[](f32 a, f32 b) { return a - b; }>},
    {"v_subrev_f32", lanes<[](f32 a, f32 b) { return b - a; }>},
    {"v_mul_f32", lanes<[](f32 a, f32 b) { return a * b; }>},
    {"v_mul_legacy_f32 v_mul_dx9_zero_f32", lanes<[](f32 a, f32 b) { return multiplyLegacy(a, b); }>},
    {"v_fma_f32", lanes<[](f32 a, f32 b, f32 c) { return std::fma(a, b, c); }>},
    {"v_fmac_f32", lanes<[](f32 a, f32 b, Old<f32> c) { return std::fma(a, b, c.value); }>},
    {"v_fmaak_f32", lanes<[](f32 a, f32 b, f32 k) { return std::fma(a, b, k); }>},
    {"v_fmamk_f32", lanes<[](f32 a, f32 k, f32 b) { return std::fma(a, k, b); }>},

    // Before gfx10.
    {"v_mad_f32", lanes<[](f32 a, f32 b, f32 c) { return multiplyAdd(a, b, c); }>},
    {"v_mac_f32", lanes<[](f32 a, f32 b, Old<f32> c) { return multiplyAdd(a, b, c.value); }>},
    {"v_madak_f32", lanes<[](f32 a, f32 b, f32 k) { return multiplyAdd(a, b, k); }>},
    {"v_madmk_f32", lanes<[](f32 a, f32 k, f32 b) { return multiplyAdd(a, k, b); }>},

    {"v_min_f32 v_min_num_f32", lanes<[](f32 a, f32 b, LaneContext at) { return minimum(a, b, at.wave.ieee()); }>},
    {"v_max_f32 v_max_num_f32", lanes<[](f32 a, f32 b, LaneContext at) { return maximum(a, b, at.wave.ieee()); }>},
    {"v_min3_f32 v_min3_num_f32", lanes<[](f32 a, f32 b, f32 c, LaneContext at) {
       return minimum(minimum(a, b, at.wave.ieee()), c, at.wave.ieee());
     }>},
    {"v_max3_f32 v_max3_num_f32", lanes<[](f32 a, f32 b, f32 c, LaneContext at) {
       return maximum(maximum(a, b, at.wave.ieee()), c, at.wave.ieee());
     }>},
    {"v_med3_f32 v_med3_num_f32",
     lanes<[](f32 a, f32 b, f32 c, LaneContext at) { return medianOf(a, b, c, at.wave.ieee()); }>},
    {"v_maxmin_f32 v_maxmin_num_f32", lanes<[](f32 a, f32 b, f32 c, LaneContext at) {
       return minimum(maximum(a, b, at.wave.ieee()), c, at.wave.ieee());
     }>},
    {"v_minmax_f32 v_minmax_num_f32", lanes<[](f32 a, f32 b, f32 c, LaneContext at) {
       return maximum(minimum(a, b, at.wave.ieee()), c, at.wave.ieee());
     }>},

    {"v_trunc_f32", lanes<[](f32 a) { return std::trunc(a); }>},
    {"v_ceil_f32", lanes<[](f32 a) { return std::ceil(a); }>},
    {"v_floor_f32", lanes<[](f32 a) { return std::floor(a); }>},
    {"v_rndne_f32", lanes<[](f32 a) { return __builtin_roundevenf(a); }>},
    {"v_fract_f32", lanes<[](f32 a) { return a - std::floor(a); }>},
    {"v_ldexp_f32", lanes<[](f32 a, i32 exponent) { return std::ldexp(a, exponent); }>},
    {"v_frexp_mant_f32", lanes<[](f32 a) { return frexpMantissa(a); }>},
    {"v_frexp_exp_i32_f32", lanes<[](f32 a) { return frexpExponent(a); }>},
};

} // namespace

const Table vectorFloat = rows;

} // namespace kiln::emulator
