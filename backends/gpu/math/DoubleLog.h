// Logarithms of doubles, as those of the CPU's library, but with the unit's reciprocal and 32-bit integers.
#pragma once
#include "backends/gpu/math/Coefficients.h"
#include "backends/gpu/math/Hardware.h"

namespace kiln::math {

struct DoubleLog {
  double f, e, tail; // x = 2^e (1 + f), and tail = log(1 + f) - f
};
/// Splits a positive, normal and finite x. 1 + f is between sqrt(1/2) and sqrt(2).
KILN_INLINE DoubleLog doubleLog(double x) {
  constexpr int root = 0x3fe6a09e; // the upper half of sqrt(1/2)
  int shift = (int(bits(x) >> 32) - root) & int(0xfff00000);
  double f = fromBits<double>(bits(x) - (long(shift) << 32)) - 1;
  // 2^52 + 2^11 + e has the integer 2^11 + e in its last bits.
  double e = fromBits<double>(0x4330000000000000 | ((shift >> 20) + 0x800)) - 0x1.00000000008p+52;
  double s = f * reciprocal(2 + f), z = s * s, half = 0.5 * f * f;
  return {f, e, fma(s, fma(z, horner(z, gpuLogRatioOfDouble), half), -half)};
}

/// log(x) for a positive, normal and finite x. The first part of log(2) has 21 bits, so its product with e is exact.
KILN_INLINE double logOfNormal(double x) {
  auto [f, e, tail] = doubleLog(x);
  return fma(e, 0x1.62e42p-1, fma(e, 0x1.fdf473de6af28p-22, tail) + f);
}

} // namespace kiln::math
