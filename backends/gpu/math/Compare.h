// A comparison of doubles by an instruction for floats, which runs at twice the rate or more.
#pragma once
#include "backends/cpu/math/Lanes.h"

namespace kiln::math {

/// Returns true if |x| is below a double whose lower 32 bits are zero. The upper halves of doubles have the order of
/// floats with their bits, and those of infinity and NaN are the bits of a NaN.
KILN_INLINE bool isBelow(double x, double limit) {
  return abs(fromBits<float>(int(bits(x) >> 32))) < fromBits<float>(int(bits(limit) >> 32));
}

} // namespace kiln::math
