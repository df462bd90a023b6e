// sin(pi x), cos(pi x) and tan(pi x). The reduction is exact, and one polynomial computes sin(pi r) for |r| up to 1/2.
// The tangent of doubles has both polynomials of the CPU's library, for |r| up to 1/4.
#include "backends/gpu/math/HalfTurns.h"
#include "backends/cpu/math/Trig.h"
#include "backends/gpu/math/Compare.h"
#include "backends/gpu/math/Hardware.h"
#include "backends/gpu/math/Instances.h"

namespace kiln::math {
namespace {

KILN_INLINE bool isUpperHalf(float x) { return x > 0.5f; }
KILN_INLINE bool isUpperHalf(double x) { return !isBelow(x, 0.5); }

/// |x| modulo 2, in [-1, 1]. NaN for infinity.
template <typename E> KILN_INLINE E inTurn(E x) {
  return fma(__builtin_elementwise_rint(abs(x) * E(0.5)), E(-2), abs(x));
}

// The result for an integer is zero with the sign of x.
template <typename E> KILN_INLINE E quickSinpi(E x) {
  E turn = inTurn(x), magnitude = abs(turn), mirrored = 1 - magnitude;
  E sine = sinOfHalfTurns(isUpperHalf(magnitude) ? mirrored : magnitude);
  sine = sine == 0 ? sine : withSign(sine, signBit(turn));
  return withSign(sine, signBit(x));
}
// Zeros are positive.
template <typename E> KILN_INLINE E quickCospi(E x) { return sinOfHalfTurns(E(0.5) - abs(inTurn(x))); }
// The result for an odd integer is -0, and that for x = 3/2 is -infinity (for positive x).
KILN_INLINE float floatTanpi(float x) {
  float turn = inTurn(x), mirrored = turn - __builtin_copysignf(1.0f, turn);
  mirrored = mirrored == 0 ? -0.0f : mirrored;
  float r = abs(turn) > 0.5f ? mirrored : turn;
  float sine = sinOfHalfTurns(r), cosine = sinOfHalfTurns(0.5f - abs(r));
  float tangent = sine == 0 || cosine == 0 ? sine * reciprocalUnit(cosine) : quotient(sine, cosine);
  return withSign(tangent, signBit(x));
}

/// tan(pi x) for a multiple x of 1/2, |turn| of which is at most 1.
[[gnu::cold]] KILN_INLINE double tanOfHalves(double turn) {
  double magnitude = abs(turn);
  return magnitude == 0.5 ? __builtin_copysign(__builtin_inf(), turn) : magnitude == 1 ? -0.0 : 0.0;
}
// The sine and the cosine for |rest| <= 1/4, whose polynomials have 14 terms; that for 1/2, twice, has 18.
KILN_INLINE double doubleTanpi(double x) {
  double turn = inTurn(x), shifted = fma(turn, 2.0, Format<double>::Shifter);
  double rest = fma(shifted - Format<double>::Shifter, -0.5, turn);
  bool odd = bits(shifted) & 1;
  auto [sin, cos] = sinCosPi(rest);
  double tangent = (odd ? -cos : sin) * reciprocal(odd ? sin : cos);
  if (__builtin_expect(rest == 0, false))
    tangent = tanOfHalves(turn);
  return withSign(tangent, signBit(x));
}

} // namespace

KILN_GPU_ONE(float, "sinpi.f32", quickSinpi)
KILN_GPU_ONE(double, "sinpi.f64", quickSinpi)
KILN_GPU_ONE(float, "cospi.f32", quickCospi)
KILN_GPU_ONE(double, "cospi.f64", quickCospi)
KILN_GPU_ONE(float, "tanpi.f32", floatTanpi)
KILN_GPU_ONE(double, "tanpi.f64", doubleTanpi)

} // namespace kiln::math
