// The logarithm of doubles, as that of the CPU's library, but with the unit's reciprocal and 32-bit integers.
#pragma once
#include "backends/cpu/math/Coefficients.h"
#include "backends/gpu/math/Coefficients.h"
#include "backends/gpu/math/Hardware.h"

namespace kiln::math {

/// log(x) for a positive, normal and finite x. x = 2^e (1 + f), with 1 + f between sqrt(1/2) and sqrt(2).
KILN_INLINE double logOfNormal(double x) {
  constexpr int root = 0x3fe6a09e; // the upper half of sqrt(1/2)
  int shift = (int(bits(x) >> 32) - root) & int(0xfff00000);
  double f = fromBits<double>(bits(x) - (long(shift) << 32)) - 1;
  // e + 2^52 + 2^11 has the integer e + 2^11 in its last bits.
  double e = fromBits<double>(0x4330000000000000 | ((shift >> 20) + 0x800)) - 0x1.00000000008p+52;
  double s = f * reciprocal(2 + f), z = s * s, half = 0.5 * f * f;
  double tail = fma(s, fma(z, horner(z, logRatio<double>), half), -half); // log(1 + f) - f
  return fma(e, 0x1.62e42feep-1, fma(e, 0x1.a39ef35793c76p-33, tail) + f);
}

} // namespace kiln::math
