// Logarithms of doubles, as those of the CPU's library, but with the unit's reciprocal and 32-bit integers.
#pragma once
#include "backends/gpu/math/Coefficients.h"
#include "backends/gpu/math/Compare.h"
#include "backends/gpu/math/Hardware.h"

namespace kiln::math {

/// log(1 + f) - f for 1 + f between sqrt(1/2) and sqrt(2), a series of s = f / (2 + f).
KILN_INLINE double doubleLogTail(double f) {
  double s = f * reciprocal(2 + f), z = s * s, half = 0.5 * f * f;
  return fma(s, fma(z, horner(z, gpuLogRatioOfDouble), half), -half);
}

/// Returns a multiple of 2^20, which is e << 20 if x is 2^e (1 + f) with 1 + f between sqrt(1/2) and sqrt(2). x is
/// positive, normal and finite.
KILN_INLINE int doubleExponent(double x) {
  constexpr int root = 0x3fe6a09e; // the upper half of sqrt(1/2)
  return (orderOf(x) - root) & int(0xfff00000);
}
/// Converts the result of doubleExponent to e. 2^52 + 2^11 + e has the integer 2^11 + e in its last bits.
KILN_INLINE double exponentValue(int shifted) {
  return fromBits<double>(0x4330000000000000 | ((shifted >> 20) + 0x800)) - 0x1.00000000008p+52;
}

struct DoubleLog {
  double f, e, tail; // x = 2^e (1 + f), and tail = log(1 + f) - f
};
/// Splits a positive, normal and finite x.
KILN_INLINE DoubleLog doubleLog(double x) {
  int exponent = doubleExponent(x);
  double f = fromBits<double>(bits(x) - (long(exponent) << 32)) - 1;
  return {f, exponentValue(exponent), doubleLogTail(f)};
}

/// log(x) for a positive, normal and finite x. The first part of log(2) has 21 bits, so its product with e is exact.
KILN_INLINE double logOfNormal(double x) {
  auto [f, e, tail] = doubleLog(x);
  return fma(e, 0x1.62e42p-1, fma(e, 0x1.fdf473de6af28p-22, tail) + f);
}

} // namespace kiln::math
