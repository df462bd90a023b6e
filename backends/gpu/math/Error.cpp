// The error function of floats. Up to 1: x + x p(x^2). Else 1 - 2^(-x q(x)).
#include "backends/gpu/math/Coefficients.h"
#include "backends/gpu/math/Exp.h"
#include "backends/gpu/math/Forms.h"

namespace kiln::math {
namespace {

KILN_INLINE float floatErf(float x) {
  float magnitude = abs(x);
  float near = fma(x, horner(x * x, gpuErfNear), x);
  float far = 1 - exp2Unit(-magnitude * horner(magnitude, gpuErfFar));
  far = __builtin_copysignf(magnitude < 4 ? far : 1, x);
  return magnitude > 1 ? far : near; // near for NaN
}

} // namespace

KILN_GPU_ONE(float, "erf.f32", floatErf)

} // namespace kiln::math
