// Makes the instances of a function's template, for scalars and for vectors of each width, under the names of
// passes/lowering/MathSymbols.h. Integer operands have the width of the floating-point operands.
#pragma once
#include "backends/cpu/math/Lanes.h"

#define KILN_INSTANCE_ONE(E, N, label, name, fn)                                                                       \
  KILN_WEAK Vector<E, N> instance_##fn(Vector<E, N> x) __asm__("kiln.math." name "." label);                           \
  Vector<E, N> instance_##fn(Vector<E, N> x) { return fn(x); }
#define KILN_INSTANCE_TWO(E, N, label, name, fn)                                                                       \
  KILN_WEAK Vector<E, N> instance_##fn(Vector<E, N> x, Vector<E, N> y) __asm__("kiln.math." name "." label);           \
  Vector<E, N> instance_##fn(Vector<E, N> x, Vector<E, N> y) { return fn(x, y); }
#define KILN_INSTANCE_INT(E, N, label, name, fn)                                                                       \
  KILN_WEAK Vector<E, N> instance_##fn(Vector<E, N> x, Ints<Vector<E, N>> n) __asm__("kiln.math." name "." label);     \
  Vector<E, N> instance_##fn(Vector<E, N> x, Ints<Vector<E, N>> n) { return fn(x, n); }
#if KILN_SCALAR
// GPUs have scalars only. The functions are weak, because backends/gpu/math defines faster ones of the same name.
#define KILN_WEAK [[gnu::weak]]
#define KILN_SINGLE(INSTANCE, name, fn) INSTANCE(float, 1, "f32", name, fn)
#define KILN_DOUBLE(INSTANCE, name, fn) INSTANCE(double, 1, "f64", name, fn)
#else
#define KILN_WEAK
#define KILN_SINGLE(INSTANCE, name, fn)                                                                                \
  INSTANCE(float, 1, "f32", name, fn)                                                                                  \
  INSTANCE(float, 4, "f32x4", name, fn)                                                                                \
  INSTANCE(float, 8, "f32x8", name, fn)                                                                                \
  INSTANCE(float, 16, "f32x16", name, fn)
#define KILN_DOUBLE(INSTANCE, name, fn)                                                                                \
  INSTANCE(double, 1, "f64", name, fn)                                                                                 \
  INSTANCE(double, 2, "f64x2", name, fn)                                                                               \
  INSTANCE(double, 4, "f64x4", name, fn)                                                                               \
  INSTANCE(double, 8, "f64x8", name, fn)
#endif
#define KILN_BOTH(INSTANCE, fn) KILN_SINGLE(INSTANCE, #fn, fn) KILN_DOUBLE(INSTANCE, #fn, fn)
