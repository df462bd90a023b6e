// Logarithms of floats: e times the logarithm of 2, plus a polynomial of f.
#include "backends/gpu/math/Forms.h"
#include "backends/gpu/math/Log.h"

namespace kiln::math {
namespace {

KILN_INLINE float floatLog(float x) { return floatLogEdges(x, floatLogOf(floatParts(x, TwoThirds))); }
KILN_INLINE float floatLog2(float x) {
  auto [f, e] = floatParts(x, TwoThirds);
  return floatLogEdges(x, fma(f, horner(f, gpuLog2Slope), e));
}
KILN_INLINE float floatLog10(float x) {
  auto [f, e] = floatParts(x, 0.7f);
  // Just above 1.4, e is 1 and f is -0.3. The small terms are added first, so that few roundings are large.
  float small = fma(f * f, horner(f, gpuLog10Tail), e * -0x1.ec10cp-27f);
  return floatLogEdges(x, fma(f, 0x1.bcb7b2p-2f, fma(e, 0x1.344136p-2f, small)));
}
KILN_INLINE float floatLog1p(float x) {
  float sum = 1 + x, result = log1pOfSum(x, sum);
  if (__builtin_expect(unsigned(bits(sum)) - 1 >= unsigned(bits(0x1p126f)) - 1, false))
    return floatLog(sum); // not positive, not finite, or beyond the range of log1pOfSum
  return result;
}

} // namespace

KILN_GPU_ONE(float, "log.f32", floatLog)
KILN_GPU_ONE(float, "log2.f32", floatLog2)
KILN_GPU_ONE(float, "log10.f32", floatLog10)
KILN_GPU_ONE(float, "log1p.f32", floatLog1p)

} // namespace kiln::math
