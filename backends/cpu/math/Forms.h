// Instantiates a template's forms for scalars and for vectors of each width, under the names of
// passes/lowering/MathSymbols.h. Integer operands have the width of the floating-point operands.
#pragma once
#include "backends/cpu/math/Lanes.h"

#define KILN_FORM_ONE(E, N, label, name, fn)                                                                           \
  KILN_WEAK Vector<E, N> form_##fn(Vector<E, N> x) __asm__("kiln.math." name "." label);                               \
  Vector<E, N> form_##fn(Vector<E, N> x) { return fn(x); }
#define KILN_FORM_TWO(E, N, label, name, fn)                                                                           \
  KILN_WEAK Vector<E, N> form_##fn(Vector<E, N> x, Vector<E, N> y) __asm__("kiln.math." name "." label);               \
  Vector<E, N> form_##fn(Vector<E, N> x, Vector<E, N> y) { return fn(x, y); }
#define KILN_FORM_INT(E, N, label, name, fn)                                                                           \
  KILN_WEAK Vector<E, N> form_##fn(Vector<E, N> x, Ints<Vector<E, N>> n) __asm__("kiln.math." name "." label);         \
  Vector<E, N> form_##fn(Vector<E, N> x, Ints<Vector<E, N>> n) { return fn(x, n); }
#if KILN_SCALAR
// GPUs have scalars only. The functions are weak, because backends/gpu/math defines faster ones of the same name.
#define KILN_WEAK [[gnu::weak]]
#define KILN_SINGLE(FORM, name, fn) FORM(float, 1, "f32", name, fn)
#define KILN_DOUBLE(FORM, name, fn) FORM(double, 1, "f64", name, fn)
#else
#define KILN_WEAK
#define KILN_SINGLE(FORM, name, fn)                                                                                    \
  FORM(float, 1, "f32", name, fn)                                                                                      \
  FORM(float, 4, "f32x4", name, fn)                                                                                    \
  FORM(float, 8, "f32x8", name, fn)                                                                                    \
  FORM(float, 16, "f32x16", name, fn)
#define KILN_DOUBLE(FORM, name, fn)                                                                                    \
  FORM(double, 1, "f64", name, fn)                                                                                     \
  FORM(double, 2, "f64x2", name, fn)                                                                                   \
  FORM(double, 4, "f64x4", name, fn)                                                                                   \
  FORM(double, 8, "f64x8", name, fn)
#endif
#define KILN_BOTH(FORM, fn) KILN_SINGLE(FORM, #fn, fn) KILN_DOUBLE(FORM, #fn, fn)
