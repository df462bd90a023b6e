// Instructions that the hardware computes approximately: within 1 ULP for f32, about 2^-26 relative for the f64 seeds.
// The emulator computes them in a wider type or with the host's correctly rounded operation. As LLVM's lowering
// expects, the f32 forms do not support denormals: operands and results are flushed to zero.
#include "emulator/instructions/AllTables.h"
#include "emulator/instructions/Floats.h"
#include "emulator/machine/Lanes.h"
#include <numbers>

namespace kiln::emulator {
namespace {

template <auto Function> f32 flushed(f32 a) { return flushDenormal(f32(Function(f64(flushDenormal(a))))); }
template <auto Function> Exact<f16> onHalf(f16 a) { return exact<f16>(Function(f64(toFloat(a)))); }

constexpr auto reciprocal = [](f64 a) { return 1 / a; };
constexpr auto root = [](f64 a) { return std::sqrt(a); };
constexpr auto inverseRoot = [](f64 a) { return a == 0 ? std::copysign(HUGE_VAL, a) : 1 / std::sqrt(a); };
constexpr auto power2 = [](f64 a) { return std::exp2(a); };
constexpr auto logarithm2 = [](f64 a) { return std::log2(a); };
// The operand counts turns.
constexpr auto sine = [](f64 a) { return std::sin(2 * std::numbers::pi * (a - std::floor(a))); };
constexpr auto cosine = [](f64 a) { return std::cos(2 * std::numbers::pi * (a - std::floor(a))); };

const Row rows[] = {
    {"v_rcp_f32 v_rcp_iflag_f32", lanes<[](f32 a) { return flushed<reciprocal>(a); }>},
    {"v_rsq_f32", lanes<[](f32 a) { return flushed<inverseRoot>(a); }>},
    {"v_sqrt_f32", lanes<[](f32 a) { return flushed<root>(a); }>},
    {"v_exp_f32", lanes<[](f32 a) { return flushed<power2>(a); }>},
    {"v_log_f32", lanes<[](f32 a) { return flushed<logarithm2>(a); }>},
    {"v_sin_f32", lanes<[](f32 a) { return flushed<sine>(a); }>},
    {"v_cos_f32", lanes<[](f32 a) { return flushed<cosine>(a); }>},
    {"v_rcp_f64", lanes<[](f64 a) { return reciprocal(a); }>},
    {"v_rsq_f64", lanes<[](f64 a) { return inverseRoot(a); }>},
    {"v_sqrt_f64", lanes<[](f64 a) { return root(a); }>},
    {"v_rcp_f16", lanes<[](f16 a) { return onHalf<reciprocal>(a); }>},
    {"v_rsq_f16", lanes<[](f16 a) { return onHalf<inverseRoot>(a); }>},
    {"v_sqrt_f16", lanes<[](f16 a) { return onHalf<root>(a); }>},
    {"v_exp_f16", lanes<[](f16 a) { return onHalf<power2>(a); }>},
    {"v_log_f16", lanes<[](f16 a) { return onHalf<logarithm2>(a); }>},
    {"v_sin_f16", lanes<[](f16 a) { return onHalf<sine>(a); }>},
    {"v_cos_f16", lanes<[](f16 a) { return onHalf<cosine>(a); }>},
};

} // namespace

const Table vectorTranscendental = rows;

} // namespace kiln::emulator
