// sin(pi x), cos(pi x) and tan(pi x), of doubles the first two. The reduction is exact, and one polynomial computes
// sin(pi r) for |r| up to 1/2.
#include "backends/gpu/math/HalfTurns.h"
#include "backends/gpu/math/Compare.h"
#include "backends/gpu/math/Forms.h"
#include "backends/gpu/math/Hardware.h"

namespace kiln::math {
namespace {

KILN_INLINE bool isUpperHalf(float x) { return x > 0.5f; }
KILN_INLINE bool isUpperHalf(double x) { return !isBelow(x, 0.5); }

/// |x| modulo 2, in [-1, 1]. NaN for infinity.
template <typename E> KILN_INLINE E inTurn(E x) {
  return fma(__builtin_elementwise_rint(abs(x) * E(0.5)), E(-2), abs(x));
}

// The result for an integer is zero with the sign of x.
template <typename E> KILN_INLINE E sinpi(E x) {
  E turn = inTurn(x), magnitude = abs(turn), mirrored = 1 - magnitude;
  E sine = sinOfHalfTurns(isUpperHalf(magnitude) ? mirrored : magnitude);
  sine = sine == 0 ? sine : withSign(sine, signBit(turn));
  return withSign(sine, signBit(x));
}
// Zeros are positive.
template <typename E> KILN_INLINE E cospi(E x) { return sinOfHalfTurns(E(0.5) - abs(inTurn(x))); }
// The result for an odd integer is -0, and that for x = 3/2 is -infinity (for positive x).
KILN_INLINE float floatTanpi(float x) {
  float turn = inTurn(x), mirrored = turn - __builtin_copysignf(1.0f, turn);
  mirrored = mirrored == 0 ? -0.0f : mirrored;
  float r = abs(turn) > 0.5f ? mirrored : turn;
  float sine = sinOfHalfTurns(r), cosine = sinOfHalfTurns(0.5f - abs(r));
  float tangent = sine == 0 || cosine == 0 ? sine * reciprocalUnit(cosine) : quotient(sine, cosine);
  return withSign(tangent, signBit(x));
}

} // namespace

KILN_GPU_ONE(float, "sinpi.f32", sinpi)
KILN_GPU_ONE(double, "sinpi.f64", sinpi)
KILN_GPU_ONE(float, "cospi.f32", cospi)
KILN_GPU_ONE(double, "cospi.f64", cospi)
KILN_GPU_ONE(float, "tanpi.f32", floatTanpi)

} // namespace kiln::math
