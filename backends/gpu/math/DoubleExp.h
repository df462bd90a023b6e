// Exponentials of doubles: 2^n times a polynomial of the remainder. While the result is normal, n is added to the
// exponent of the polynomial's value.
//
// An instruction has room for the upper half of a double; other constants take one or two instructions more. So the
// factors that choose n, the upper part of log(2) and the high powers' coefficients have 21 bits. The products with n
// are exact then.
#pragma once
#include "backends/cpu/math/Exp.h"
#include "backends/gpu/math/Coefficients.h"
#include "backends/gpu/math/Compare.h"

namespace kiln::math {

struct ShiftedDouble {
  double value;
  int n; // the result is value * 2^n
};

struct ReducedDouble {
  double rest;
  int n;
};
/// x = n log(base) + rest, from the inverse of the logarithm and its two parts.
KILN_INLINE ReducedDouble reduceBy(double x, double inverse, double high, double low) {
  constexpr double shifter = Format<double>::Shifter;
  double shifted = fma(x, inverse, shifter), whole = shifted - shifter;
  return {fma(whole, -low, fma(whole, -high, x)), int(bits(shifted))};
}
KILN_INLINE ReducedDouble reduceByLn2(double x) {
  return reduceBy(x, 0x1.71547p+0, 0x1.62e42p-1, 0x1.fdf473de6af28p-22);
}

/// e^x, for |x| below 2^20.
KILN_INLINE ShiftedDouble expShifted(double x) {
  auto [rest, n] = reduceByLn2(x);
  return {fma(fma(horner(rest, gpuExpTailOfDouble), rest, 1.0), rest, 1.0), n};
}
/// The value is that of e^x less 1, for |x| below 2^20.
KILN_INLINE ShiftedDouble expm1Shifted(double x) {
  auto [rest, n] = reduceByLn2(x);
  return {fma(rest * rest, horner(rest, gpuExpTailOfDouble), rest), n};
}
/// 2^x, for |x| below 2^20.
KILN_INLINE ShiftedDouble exp2Shifted(double x) {
  constexpr double shifter = Format<double>::Shifter;
  double shifted = x + shifter, rest = x - (shifted - shifter);
  return {fma(horner(rest, gpuExp2SlopeOfDouble), rest, 1.0), int(bits(shifted))};
}
KILN_INLINE ShiftedDouble exp10Shifted(double x) {
  auto [rest, n] = reduceBy(x, 0x1.a934fp+1, 0x1.34413p-2, 0x1.427de7fbcc47cp-24);
  return {fma(horner(rest, gpuExp10SlopeOfDouble), rest, 1.0), n};
}

/// For results that are normal. Only the upper half of the value changes.
KILN_INLINE double normalValue(ShiftedDouble x) {
  auto halves = bitsAs<Vector<int, 2>>(x.value);
  halves[1] += int(unsigned(x.n) << 20);
  return bitsAs<double>(halves);
}
/// For every result. `x` is the function's argument, beyond whose `limit` the result is infinite or zero.
KILN_INLINE double anyValue(ShiftedDouble y, double x, double limit) {
  double value = scale(y.value, long(y.n));
  value = x > limit ? __builtin_inf() : value;
  return x < -limit ? 0 : value;
}

} // namespace kiln::math
