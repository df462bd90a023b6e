// The sine of a number of half turns.
#pragma once
#include "backends/gpu/math/Coefficients.h"

namespace kiln::math {

/// sin(pi r) for |r| <= 1/2. pi has two parts, of which the second is in the polynomial. It is positive, so that the
/// result for -0 is -0.
KILN_INLINE float sinOfHalfTurns(float r) { return fma(r, 0x1.921fb4p+1f, r * horner(r * r, gpuSinPiTail)); }
KILN_INLINE double sinOfHalfTurns(double r) {
  return fma(r, 0x1.921fb54442d18p+1, r * horner(r * r, gpuSinPiTailOfDouble));
}

} // namespace kiln::math
