// Logarithms of floats. x = 2^e (1 + f) with 1 + f between 2/3 and 4/3.
#pragma once
#include "backends/gpu/math/Coefficients.h"
#include "backends/gpu/math/Hardware.h"

namespace kiln::math {

struct FloatParts {
  float f, e;
};
/// Splits a positive, finite x. The result is arbitrary for other values. `start` is the least fraction.
KILN_INLINE FloatParts floatParts(float x, float start) {
  bool small = x < 0x1p-126f;
  int raw = bits(small ? x * 0x1p23f : x), shift = (raw - bits(start)) & int(0xff800000);
  return {fromBits<float>(raw - shift) - 1, fma(float(shift), 0x1p-23f, small ? -23.0f : 0.0f)};
}
constexpr float TwoThirds = 0x1.555556p-1f;

/// log(2^e (1 + f))
KILN_INLINE float floatLogOf(FloatParts parts) {
  auto [f, e] = parts;
  float tail = f * fma(f, horner(f, gpuLogTail), -0.5f); // (log(1 + f) - f) / f
  return fma(e, 0x1.62e43p-1f, fma(tail, f, f));
}
/// Selects the results for zero, negative numbers, infinity and NaN.
KILN_INLINE float floatLogEdges(float x, float result) {
  if (unsigned(bits(x)) >= 0x7f800000)
    result = fma(x, __builtin_inff(), __builtin_inff());
  return x == 0 ? -__builtin_inff() : result;
}

/// log(1 + x) for x > -1 and a sum 1 + x below 2^126. The rounded sum only selects e. f = x 2^-e - (1 - 2^-e) is
/// computed from x. The signs of the terms keep a zero's sign.
KILN_INLINE float log1pOfSum(float x, float sum) {
  int down = (bits(0.75f) + 0x7fffff - bits(sum)) & int(0xff800000); // -e in the exponent field
  float scale = fromBits<float>(bits(1.0f) + down), f = fma(x, scale, -(1 - scale));
  float tail = f * fma(f, horner(f, gpuLog1pTail), -0.5f);
  return fma(float(down), -0x1.62e43p-24f, fma(tail, f, f));
}

} // namespace kiln::math
