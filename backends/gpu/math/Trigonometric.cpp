// Sine, cosine and tangent. x = n pi/2 + r. Floats below 2^17 are reduced by three products, which no branch of the
// common path follows; larger ones by the bits of 2/pi, in 64-bit integers.
#include "backends/cpu/math/Trig.h"
#include "backends/gpu/math/Coefficients.h"
#include "backends/gpu/math/Compare.h"
#include "backends/gpu/math/Hardware.h"
#include "backends/gpu/math/Instances.h"

namespace kiln::math {
namespace {

struct FloatTurns {
  float rest;
  int n; // only n mod 4 is meaningful
};

// pi/2 in three parts, all positive: a remainder of -0 keeps its sign.
KILN_INLINE FloatTurns reduceNearFloat(float x) {
  constexpr float shifter = 0x1.8p23f;
  float shifted = fma(x, 0x1.45f306p-1f, shifter), whole = shifted - shifter;
  float rest = fma(whole, -0x1.921fb4p+0f, x);
  rest = fma(whole, -0x1.4442dp-24f, rest);
  return {fma(whole, -0x1.846988p-48f, rest), bits(shifted)};
}

// 2/pi, after 32 zero bits.
constexpr unsigned TwoOverPiWords[] = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                       0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};

/// Reduces a magnitude of at least 2^17. For x = m 2^e, bits of 2/pi whose product with x is a multiple of 4 are
/// skipped. The next 96 bits leave 62 bits after the quarter turns; no float is so near to a multiple of pi/2 that
/// fewer than 30 of them are significant.
FloatTurns reduceFarFloat(float x) {
  unsigned pattern = unsigned(bits(x)), m = (pattern & 0x7fffff) | 0x800000;
  unsigned first = (pattern >> 23 & 0xff) - 150 + 30, word = (first >> 5) & 7, shift = first & 31;
  auto window = [&](unsigned i) {
    unsigned long two = (unsigned long)TwoOverPiWords[(word + i) & 7] << 32 | TwoOverPiWords[(word + i + 1) & 7];
    return (unsigned long)(unsigned)(two << shift >> 32);
  };
  unsigned long product = (m * window(0) << 32) + m * window(1) + (m * window(2) >> 32); // in units of 2^-62
  int n = int(product >> 62) + int(product >> 61 & 1);
  float rest = float(double(long(product << 2)) * 0x1.921fb54442d18p-64); // the fraction is in [-1/2, 1/2)
  if (pattern >> 31)
    rest = -rest, n = -n;
  return {abs(x) < __builtin_inff() ? rest : __builtin_nanf(""), n};
}

KILN_INLINE FloatTurns reduceFloat(float x) {
  FloatTurns turns = reduceNearFloat(x);
  if (__builtin_expect(!(abs(x) < 0x1p17f), false))
    turns = reduceFarFloat(x);
  return turns;
}

/// z is r^2. The sum with +0 gives the sine of -0 its sign.
KILN_INLINE float sinOfRest(float r, float z) { return fma(horner(z, gpuSinTail), fma(z, r, 0.0f), r); }
KILN_INLINE float cosOfRest(float z) { return fma(fma(horner(z, gpuCosTail), z, -0.5f), z, 1.0f); }

KILN_INLINE SinCos<float> sinCosOf(FloatTurns turns) {
  float z = turns.rest * turns.rest, sin = sinOfRest(turns.rest, z), cos = cosOfRest(z);
  bool odd = turns.n & 1;
  return {withSign(odd ? cos : sin, signFrom<float>(turns.n, 1)),
          withSign(odd ? sin : cos, signFrom<float>(turns.n + 1, 1))};
}
// tan(r + pi/2) = -1 / tan(r)
KILN_INLINE float tanOf(FloatTurns turns) {
  float z = turns.rest * turns.rest, tan = fma(z * turns.rest, horner(z, gpuTanTail), turns.rest);
  return turns.n & 1 ? -reciprocalUnit(tan) : tan;
}

KILN_INLINE float floatSin(float x) { return sinCosOf(reduceFloat(x)).sin; }
KILN_INLINE float floatCos(float x) { return sinCosOf(reduceFloat(x)).cos; }
KILN_INLINE float floatTan(float x) { return tanOf(reduceFloat(x)); }
KILN_INLINE float nearSin(float x) { return sinCosOf(reduceNearFloat(x)).sin; }
KILN_INLINE float nearCos(float x) { return sinCosOf(reduceNearFloat(x)).cos; }
KILN_INLINE float nearTan(float x) { return tanOf(reduceNearFloat(x)); }

// The lowest coefficient of each row first. A work-item loads one row, so one polynomial is computed.
alignas(16) constexpr double SinOrCosTail[2][6] = {{sinTail<double>[0], sinTail<double>[1], sinTail<double>[2],
                                                    sinTail<double>[3], sinTail<double>[4], sinTail<double>[5]},
                                                   {cosTail<double>[0], cosTail<double>[1], cosTail<double>[2],
                                                    cosTail<double>[3], cosTail<double>[4], cosTail<double>[5]}};

/// The sine of `rest`, or its cosine if n is odd, with the sign for n quarter turns.
KILN_INLINE double sinOrCos(double rest, int n) {
  bool odd = n & 1;
  double z = rest * rest, tail = horner(z, SinOrCosTail[n & 1]);
  double start = odd ? fma(z, -0.5, 1.0) : rest;
  return withSign(fma(z * (odd ? z : rest), tail, start), long(n & 2) << 62);
}
/// Reduces |x|. The remainder of infinity is NaN.
KILN_INLINE QuarterTurns<double> reduceDouble(double x) {
  QuarterTurns<double> turns = reduceNear(abs(x));
  if (__builtin_expect(!isBelow(x, NearLimit<double>), false) && abs(x) < __builtin_inf()) {
    auto [rest, quarters] = reduceHuge(abs(x));
    turns = {rest, quarters};
  }
  return turns;
}
KILN_INLINE double doubleSin(double x) {
  auto [rest, n] = reduceDouble(x);
  return withSign(sinOrCos(rest, int(n)), signBit(x));
}
KILN_INLINE double doubleCos(double x) {
  auto [rest, n] = reduceDouble(x);
  return sinOrCos(rest, int(n) + 1);
}

using FloatPair = Vector<float, 2>;
using DoublePair = Vector<double, 2>;

} // namespace

KILN_GPU_ONE(float, "sin.f32", floatSin)
KILN_GPU_ONE(float, "cos.f32", floatCos)
KILN_GPU_ONE(float, "tan.f32", floatTan)
KILN_GPU_ONE(double, "sin.f64", doubleSin)
KILN_GPU_ONE(double, "cos.f64", doubleCos)
KILN_GPU_ONE(float, "fast.sin.f32", nearSin)
KILN_GPU_ONE(float, "fast.cos.f32", nearCos)
KILN_GPU_ONE(float, "fast.tan.f32", nearTan)

// The sine and the cosine of one argument, with one reduction.
FloatPair sincosOfFloat(float x) __asm__("kiln.math.sincos.f32");
FloatPair sincosOfFloat(float x) {
  auto [sin, cos] = sinCosOf(reduceFloat(x));
  return {sin, cos};
}
FloatPair nearSincosOfFloat(float x) __asm__("kiln.math.fast.sincos.f32");
FloatPair nearSincosOfFloat(float x) {
  auto [sin, cos] = sinCosOf(reduceNearFloat(x));
  return {sin, cos};
}
DoublePair sincosOfDouble(double x) __asm__("kiln.math.sincos.f64");
DoublePair sincosOfDouble(double x) {
  auto turns = reduceDouble(x);
  return {sinOf(turns, x), cosOf(turns)};
}

} // namespace kiln::math
