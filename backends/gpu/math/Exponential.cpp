// e^x, 2^x and 10^x of floats.
#include "backends/gpu/math/Exp.h"
#include "backends/gpu/math/Forms.h"

namespace kiln::math {
namespace {

KILN_INLINE float floatExp(float x) {
  auto [part, scale] = expScaled(x);
  return part * scale;
}
KILN_INLINE float floatExp10(float x) {
  auto [part, scale] = exp2Scaled(x, Log2Of10High, Log2Of10Low);
  return part * scale;
}
KILN_INLINE float floatExp2(float x) { return exp2Any(x); }

} // namespace

KILN_GPU_ONE(float, "exp.f32", floatExp)
KILN_GPU_ONE(float, "exp2.f32", floatExp2)
KILN_GPU_ONE(float, "exp10.f32", floatExp10)

} // namespace kiln::math
