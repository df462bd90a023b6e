// Exponentials of floats by the hardware's 2^x: x log2(base) = n + r, and the unit computes 2^r.
#pragma once
#include "backends/gpu/math/Hardware.h"

namespace kiln::math {

/// part * scale, of which only this product rounds to a subnormal number. `part` is 0 or infinite far outside of the
/// range of results.
struct ScaledFloat {
  float part, scale;
  KILN_INLINE float value() const { return part * scale; }
};
struct FloatSum {
  float high, low;
};

/// 2^(x factor). n has the range of 2^n, so that |r| <= 1/2 unless the result is near the ends: |n| <= 126, by a
/// multiplication and an addition that saturate. NaN gives a NaN part. `low` is the rounding error of factor.
KILN_INLINE ScaledFloat exp2Scaled(float x, float factor, float low) {
  constexpr float shifter = 0x1.8p23f;
  float place = saturate(fma(x, factor / 252, 0.5f));
  float shifted = fma(place, 252.0f, shifter + 1); // n + 127 in the last bits
  float whole = shifted - (shifter + 127);
  float rest = fma(x, low, fma(x, factor, -whole));
  return {exp2Unit(rest), fromBits<float>(bits(shifted) << 23)};
}

/// 2^(high + low). From |high| = 256 on the result is zero or infinite, and `low` is arbitrary.
KILN_INLINE ScaledFloat exp2OfSum(float high, float low) {
  low = abs(high) < 256 ? low : 0;
  constexpr float shifter = 0x1.8p23f;
  float shifted = fma(saturate(fma(high, 1.0f / 252, 0.5f)), 252.0f, shifter + 1);
  return {exp2Unit((high - (shifted - (shifter + 127))) + low), fromBits<float>(bits(shifted) << 23)};
}

constexpr float Log2OfEHigh = 0x1.715476p+0f, Log2OfELow = 0x1.4ae0cp-26f;
constexpr float Log2Of10High = 0x1.a934fp+1f, Log2Of10Low = 0x1.2f346ep-24f;

KILN_INLINE ScaledFloat expScaled(float x) { return exp2Scaled(x, Log2OfEHigh, Log2OfELow); }

} // namespace kiln::math
