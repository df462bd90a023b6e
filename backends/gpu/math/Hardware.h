// The hardware's approximations of single-precision functions, and what else has its own instruction on one of the
// targets. On the host, for the tests, they are exact functions whose results are moved by up to one ulp.
#pragma once
#include "backends/cpu/math/Lanes.h"

namespace kiln::math {

#if defined(__NVPTX__)

/// 2^x for results that are normal; zero for smaller ones.
KILN_INLINE float exp2Unit(float x) { return __nvvm_ex2_approx_ftz_f(x); }
/// 2^x for every x.
KILN_INLINE float exp2Any(float x) { return __nvvm_ex2_approx_f(x); }
/// The base-2 logarithm of every x. Between 1/2 and 2 the error is absolute.
KILN_INLINE float log2Any(float x) { return __nvvm_lg2_approx_f(x); }
/// The same for x that is normal.
KILN_INLINE float log2Unit(float x) { return __nvvm_lg2_approx_ftz_f(x); }
/// 1 / x for x and results that are normal.
KILN_INLINE float reciprocalUnit(float x) { return __nvvm_rcp_approx_ftz_f(x); }
/// The square root of zero and of x that is normal, with an error of one ulp or less. NaN for negative x.
KILN_INLINE float sqrtUnit(float x) { return __nvvm_sqrt_approx_ftz_f(x); }
/// Sine and cosine with an absolute error of 2^-20 in [-pi, pi], which grows with |x| beyond.
KILN_INLINE float sinUnit(float x) { return __nvvm_sin_approx_f(x); }
KILN_INLINE float cosUnit(float x) { return __nvvm_cos_approx_f(x); }
/// Clamps to [0, 1]. NaN gives 0.
KILN_INLINE float saturate(float x) { return __nvvm_saturate_f(x); }
/// 1 / x with 20 bits, for x and results that are normal.
KILN_INLINE double reciprocalUnit(double x) { return __nvvm_rcp_approx_ftz_d(x); }
/// 1 / sqrt(x) with 20 bits, for x that is normal.
KILN_INLINE double inverseRootUnit(double x) {
  double result; // Clang has no builtin for this instruction
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(result) : "d"(x));
  return result;
}

#elif defined(__AMDGCN__)

KILN_INLINE float exp2Unit(float x) { return __builtin_amdgcn_exp2f(x); }
KILN_INLINE float exp2Any(float x) {
  bool small = x < -126; // the instruction flushes
  return __builtin_amdgcn_exp2f(small ? x + 64 : x) * (small ? 0x1p-64f : 1);
}
KILN_INLINE float log2Any(float x) {
  bool small = __builtin_fabsf(x) < 0x1p-126f; // the instruction flushes
  return __builtin_amdgcn_logf(small ? x * 0x1p32f : x) - (small ? 32 : 0);
}
KILN_INLINE float log2Unit(float x) { return __builtin_amdgcn_logf(x); }
KILN_INLINE float reciprocalUnit(float x) { return __builtin_amdgcn_rcpf(x); }
KILN_INLINE float sqrtUnit(float x) { return __builtin_amdgcn_sqrtf(x); }
// The instructions take turns. v_fract keeps the argument in their range.
KILN_INLINE float sinUnit(float x) { return __builtin_amdgcn_sinf(__builtin_amdgcn_fractf(x * 0x1.45f306p-3f)); }
KILN_INLINE float cosUnit(float x) { return __builtin_amdgcn_cosf(__builtin_amdgcn_fractf(x * 0x1.45f306p-3f)); }
KILN_INLINE float saturate(float x) { return __builtin_fminf(__builtin_fmaxf(x, 0), 1); }
KILN_INLINE double reciprocalUnit(double x) { return __builtin_amdgcn_rcp(x); }
KILN_INLINE double inverseRootUnit(double x) { return __builtin_amdgcn_rsq(x); }

#else

/// Moves a positive or negative result by -1, 0 or 1 ulp, as a hash of the argument says.
KILN_INLINE float moved(float exact, float x) {
  if (exact == 0 || !(__builtin_fabsf(exact) < __builtin_inff()))
    return exact;
  unsigned hash = __builtin_bit_cast(unsigned, x) * 0x9e3779b9u;
  return __builtin_bit_cast(float, __builtin_bit_cast(int, exact) + int(hash >> 28) % 3 - 1);
}
KILN_INLINE float exp2Any(float x) { return moved(float(__builtin_exp2(x)), x); }
KILN_INLINE float exp2Unit(float x) { return x < -126 ? 0 : exp2Any(x); }
KILN_INLINE float log2Any(float x) {
  double error = (__builtin_bit_cast(unsigned, x) * 0x9e3779b9u >> 31 ? 1 : -1) * 0x1p-23;
  return float(__builtin_log2(x) + error);
}
KILN_INLINE float log2Unit(float x) { return log2Any(x); }
KILN_INLINE float reciprocalUnit(float x) { return __builtin_fabsf(x) < 0x1p-126f ? 1 / (x * 0) : moved(1 / x, x); }
KILN_INLINE float sqrtUnit(float x) { return moved(__builtin_sqrtf(x), x); }
KILN_INLINE float sinUnit(float x) { return float(__builtin_sin(x) + 0x1p-21); }
KILN_INLINE float cosUnit(float x) { return float(__builtin_cos(x) + 0x1p-21); }
KILN_INLINE float saturate(float x) { return x > 0 ? x < 1 ? x : 1 : 0; }
KILN_INLINE double reciprocalUnit(double x) {
  return __builtin_bit_cast(double, __builtin_bit_cast(long, 1 / x) & ~0xffffffffl);
}
KILN_INLINE double inverseRootUnit(double x) {
  return __builtin_bit_cast(double, __builtin_bit_cast(long, 1 / __builtin_sqrt(x)) & ~0xffffffffl);
}

#endif

/// a / b with an error of one ulp or less, for b and 1 / b that are normal.
KILN_INLINE float quotient(float a, float b) {
  float inverse = reciprocalUnit(b), ratio = a * inverse;
  return __builtin_elementwise_fma(__builtin_elementwise_fma(-b, ratio, a), inverse, ratio);
}
/// 1 / x for doubles, for x and results that are normal. The unit's result y has the error e = 1 - x y below 2^-20, and
/// y (1 + e + e^2) one below 2^-60 before its rounding.
KILN_INLINE double reciprocal(double x) {
  double y = reciprocalUnit(x), error = __builtin_elementwise_fma(-x, y, 1.0);
  return __builtin_elementwise_fma(y, __builtin_elementwise_fma(error, error, error), y);
}

/// 1 / x for floats, for x and results that are normal.
KILN_INLINE float reciprocal(float x) { return reciprocalUnit(x); }

/// The square root of x from an approximation of 1 / sqrt(x), with two steps of Goldschmidt's algorithm.
KILN_INLINE double sqrtBySteps(double x, double inverse) {
  double root = x * inverse, half = 0.5 * inverse;
  double error = __builtin_elementwise_fma(-root, half, 0.5);
  root = __builtin_elementwise_fma(root, error, root);
  half = __builtin_elementwise_fma(half, error, half);
  return __builtin_elementwise_fma(__builtin_elementwise_fma(-root, root, x), half, root);
}
/// The square root of a normal double.
KILN_INLINE double sqrtOfNormal(double x) { return sqrtBySteps(x, inverseRootUnit(x)); }
/// The square root of zero or of a double from 2^-100 on. The sum only changes zero, whose inverse root is infinite.
KILN_INLINE double sqrtOfZeroOrNormal(double x) { return sqrtBySteps(x, inverseRootUnit(x + 0x1p-200)); }

} // namespace kiln::math
