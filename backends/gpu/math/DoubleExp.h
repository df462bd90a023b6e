// Exponentials of doubles: 2^n times a polynomial of the remainder. While the result is normal, n is added to the
// exponent of the polynomial's value.
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
/// x = n log(2) + rest
KILN_INLINE ReducedDouble reduceByLn2(double x) {
  constexpr double shifter = Format<double>::Shifter;
  double shifted = fma(x, Log2OfE, shifter), whole = shifted - shifter;
  return {fma(whole, -0x1.abc9e3b39803fp-56, fma(whole, -0x1.62e42fefa39efp-1, x)), int(bits(shifted))};
}

/// e^x, for |x| below 2^20.
KILN_INLINE ShiftedDouble expShifted(double x) {
  auto [rest, n] = reduceByLn2(x);
  return {fma(fma(horner(rest, expTail<double>), rest, 1.0), rest, 1.0), n};
}
/// The value is that of e^x less 1, for |x| below 2^20.
KILN_INLINE ShiftedDouble expm1Shifted(double x) {
  auto [rest, n] = reduceByLn2(x);
  return {fma(rest * rest, horner(rest, expTail<double>), rest), n};
}
/// 2^x, for |x| below 2^20.
KILN_INLINE ShiftedDouble exp2Shifted(double x) {
  constexpr double shifter = Format<double>::Shifter;
  double shifted = x + shifter, rest = x - (shifted - shifter);
  return {fma(horner(rest, exp2Slope<double>), rest, 1.0), int(bits(shifted))};
}
KILN_INLINE ShiftedDouble exp10Shifted(double x) {
  constexpr double shifter = Format<double>::Shifter;
  double shifted = fma(x, Log2Of10, shifter), whole = shifted - shifter;
  double rest = fma(whole, 0x1.9dc1da994fd21p-59, fma(whole, -0x1.34413509f79ffp-2, x));
  return {fma(horner(rest, exp10Slope<double>), rest, 1.0), int(bits(shifted))};
}

/// For results that are normal.
KILN_INLINE double normalValue(ShiftedDouble x) { return fromBits<double>(bits(x.value) + (long(x.n) << 52)); }
/// For every result. `x` is the function's argument, beyond whose `limit` the result is infinite or zero.
KILN_INLINE double anyValue(ShiftedDouble y, double x, double limit) {
  double value = scale(y.value, long(y.n));
  value = x > limit ? __builtin_inf() : value;
  return x < -limit ? 0 : value;
}

} // namespace kiln::math
