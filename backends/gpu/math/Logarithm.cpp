// Logarithms: e times the logarithm of 2, plus a polynomial of f. Doubles that are not positive, normal and finite take
// the CPU's functions.
#include "backends/cpu/math/Log.h"
#include "backends/gpu/math/Compare.h"
#include "backends/gpu/math/DoubleLog.h"
#include "backends/gpu/math/Instances.h"
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

KILN_INLINE bool isPlain(double x) { return __builtin_expect(isWithin(x, 0x1p-1022, __builtin_inf()), true); }
[[gnu::cold, gnu::noinline]] double farLog(double x) { return log(x); }
[[gnu::cold, gnu::noinline]] double farLog2(double x) { return log2(x); }
[[gnu::cold, gnu::noinline]] double farLog10(double x) { return log10(x); }

KILN_INLINE double quickLog(double x) { return isPlain(x) ? logOfNormal(x) : farLog(x); }
// The logarithm of the base has two parts, as in the CPU's functions.
KILN_INLINE double quickLog2(double x) {
  if (!isPlain(x))
    return farLog2(x);
  auto [f, e, tail] = doubleLog(x);
  constexpr double high = 0x1.71547652b82fep+0, low = 0x1.777d0ffda0d24p-56;
  return fma(f, high, fma(tail, high, f * low)) + e;
}
KILN_INLINE double quickLog10(double x) {
  if (!isPlain(x))
    return farLog10(x);
  auto [f, e, tail] = doubleLog(x);
  constexpr double high = 0x1.bcb7b1526e50ep-2, low = 0x1.95355baaafad3p-57;
  double small = fma(f, high, fma(tail, high, fma(e, 0x1.427de7fbcc47cp-24, f * low)));
  return fma(e, 0x1.34413p-2, small);
}

} // namespace

KILN_GPU_ONE(float, "log.f32", floatLog)
KILN_GPU_ONE(float, "log2.f32", floatLog2)
KILN_GPU_ONE(float, "log10.f32", floatLog10)
KILN_GPU_ONE(double, "log.f64", quickLog)
KILN_GPU_ONE(double, "log2.f64", quickLog2)
KILN_GPU_ONE(double, "log10.f64", quickLog10)
KILN_GPU_ONE(float, "log1p.f32", floatLog1p)

} // namespace kiln::math
