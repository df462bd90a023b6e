// The library's functions of scalars, under the names of the CPU's library (passes/lowering/MathSymbols.h).
#pragma once

#define KILN_GPU_ONE(E, name, fn)                                                                                      \
  E instance_##fn(E x) __asm__("kiln.math." name);                                                                     \
  E instance_##fn(E x) { return fn(x); }
#define KILN_GPU_TWO(E, name, fn)                                                                                      \
  E instance_##fn(E x, E y) __asm__("kiln.math." name);                                                                \
  E instance_##fn(E x, E y) { return fn(x, y); }
#define KILN_GPU_INT(E, name, fn)                                                                                      \
  E instance_##fn(E x, int n) __asm__("kiln.math." name);                                                              \
  E instance_##fn(E x, int n) { return fn(x, n); }
