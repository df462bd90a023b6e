// Special values of math functions: signed zeros, infinities, NaN, multiples of pi / 2, as scalars and in vectors. Each
// kernel writes the number of wrong results.
// FEATURES: NUM-2.5.1b, NUM-2.5.1c, NUM-2.5.1f, NUM-2.5.1g
// RUN: env KILN_DEVICES=cpu kiln-run %s floats --global=1 out:u32[1] | FileCheck %s
// RUN: env KILN_DEVICES=cpu kiln-run %s doubles --global=1 out:u32[1] | FileCheck %s
// CHECK: argument 0: 0{{$}}
#define SAME(is, wanted)                                                                                               \
  {                                                                                                                    \
    NUMBER a = (is), b = (wanted);                                                                                     \
    wrong += isnan(b) ? !isnan(a) : BITS(a) != BITS(b);                                                                \
  }
#define ONE(f, x, should) SAME(f((NUMBER)(x)), should) SAME(f((NUMBER4)(1, x, 0, 1)).y, should)
#define TWO(f, x, z, should)                                                                                           \
  SAME(f((NUMBER)(x), (NUMBER)(z)), should) SAME(f((NUMBER4)(1, x, 0, 1), (NUMBER4)(1, z, 0, 1)).y, should)
#define INT(f, x, n, should) SAME(f((NUMBER)(x), n), should) SAME(f((NUMBER4)(1, x, 0, 1), (int4)(1, n, 0, 1)).y, should)
#define NaN ((NUMBER)NAN)
#define Inf ((NUMBER)INFINITY)
#define VALUES                                                                                                         \
  uint wrong = 0;                                                                                                      \
  ONE(acospi, 1, 0) ONE(acospi, 1.5, NaN) ONE(asinpi, -0.0, -0.0) ONE(asinpi, -2, NaN) ONE(atanpi, -0.0, -0.0)         \
  ONE(atanpi, -Inf, -0.5) TWO(atan2pi, -0.0, -0.0, -1) TWO(atan2pi, 0.0, -3, 1) TWO(atan2pi, -0.0, 0.0, -0.0)          \
  TWO(atan2pi, -2, -0.0, -0.5) TWO(atan2pi, 2, 0.0, 0.5) TWO(atan2pi, -2, -Inf, -1) TWO(atan2pi, 2, Inf, 0)            \
  TWO(atan2pi, Inf, 5, 0.5) TWO(atan2pi, -Inf, -Inf, -0.75) TWO(atan2pi, Inf, Inf, 0.25)                               \
  ONE(cospi, -0.0, 1) ONE(cospi, 2.5, 0) ONE(cospi, -1.5, 0) ONE(cospi, Inf, NaN) ONE(sinpi, -0.0, -0.0)               \
  ONE(sinpi, -3, -0.0) ONE(sinpi, 4, 0) ONE(sinpi, -Inf, NaN) ONE(tanpi, -0.0, -0.0) ONE(tanpi, 2, 0)                  \
  ONE(tanpi, 3, -0.0)                                                                                                  \
  ONE(tanpi, -3, 0) ONE(tanpi, 0.5, Inf) ONE(tanpi, 1.5, -Inf) ONE(tanpi, -0.5, -Inf) ONE(tanpi, Inf, NaN)             \
  TWO(pow, -0.0, -Inf, Inf) TWO(pow, -1, Inf, 1) TWO(pow, 1, NaN, 1) TWO(pow, NaN, 0, 1) TWO(pow, -2, 3, -8)           \
  TWO(pow, -2, 0.5, NaN) TWO(pow, -0.0, -3, -Inf) TWO(pow, -Inf, -3, -0.0) TWO(pow, -Inf, 2, Inf)                      \
  INT(pown, NaN, 0, 1) INT(pown, -0.0, -3, -Inf) INT(pown, -0.0, -2, Inf) INT(pown, -0.0, 4, 0)                        \
  INT(pown, -0.0, 5, -0.0)                                                                                             \
  INT(rootn, -0.0, -3, -Inf) INT(rootn, -0.0, -2, Inf) INT(rootn, -0.0, 4, 0) INT(rootn, -0.0, 5, -0.0)                \
  INT(rootn, -8, 2, NaN)                                                                                               \
  INT(rootn, -8, 3, -2) INT(rootn, 8, 0, NaN)                                                                          \
  TWO(powr, 3, -0.0, 1) TWO(powr, -0.0, -2, Inf) TWO(powr, 0.0, -Inf, Inf) TWO(powr, -0.0, 3, 0) TWO(powr, 1, 7, 1)    \
  TWO(powr, -1, 2, NaN) TWO(powr, 0.0, 0.0, NaN) TWO(powr, Inf, -0.0, NaN) TWO(powr, 1, Inf, NaN)                      \
  TWO(powr, 2, NaN, NaN)                                                                                               \
  TWO(powr, NaN, 0.0, NaN)                                                                                             \
  ONE(exp, -Inf, 0) ONE(exp10, -Inf, 0) ONE(exp10, Inf, Inf) ONE(expm1, -0.0, -0.0) ONE(expm1, -Inf, -1)               \
  ONE(log, 0, -Inf)                                                                                                    \
  ONE(log, -1, NaN) ONE(log1p, -1, -Inf) ONE(log1p, -0.0, -0.0) ONE(sin, -0.0, -0.0) ONE(cos, Inf, NaN)                \
  ONE(tan, -0.0, -0.0)                                                                                                 \
  ONE(asin, -0.0, -0.0) ONE(acos, 1, 0) ONE(atan, -0.0, -0.0) ONE(sinh, -0.0, -0.0) ONE(tanh, -Inf, -1)                \
  ONE(asinh, -0.0, -0.0)                                                                                               \
  ONE(acosh, 1, 0) ONE(acosh, 0.5, NaN) ONE(atanh, 1, Inf) ONE(atanh, -0.0, -0.0) ONE(cbrt, -0.0, -0.0)                \
  ONE(cbrt, -27, -3)                                                                                                   \
  ONE(erf, -0.0, -0.0) ONE(erf, Inf, 1) ONE(erfc, -Inf, 2) ONE(tgamma, -0.0, -Inf) ONE(tgamma, -2, NaN)                \
                                                                                                                       \
  ONE(lgamma, 1, 0) ONE(lgamma, -3, Inf) TWO(hypot, -Inf, NaN, Inf) TWO(hypot, 3, -4, 5) TWO(fmod, -6, 3, -0.0)        \
  TWO(fmod, Inf, 3, NaN) TWO(fmod, 5, Inf, 5) TWO(fmod, 5, 0, NaN) TWO(remainder, 5, 2, 1) TWO(remainder, 7, 2, -1)    \
  TWO(remainder, 5, -10, 5) INT(ldexp, 1, -20000, 0) INT(ldexp, -0.0, 5, -0.0) INT(ldexp, Inf, -9, Inf)                \
  out[0] = wrong;
#define NUMBER float
#define NUMBER4 float4
#define BITS as_uint
kernel void floats(global uint *out) { VALUES }
#undef NUMBER
#undef NUMBER4
#undef BITS
#define NUMBER double
#define NUMBER4 double4
#define BITS as_ulong
kernel void doubles(global uint *out) { VALUES }
