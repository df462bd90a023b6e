// backends/llvm/GuardLoopVectorizer: a chain of 40 uniform values, each of which uses the previous one twice. LLVM's
// vectoriser would query the first one 2^40 times.
// RUN: kiln-clc %s -o %t.spv
// RUN: kilnc --emit=obj %t.spv -o %t.o
#define FOUR(x) x x x x
kernel void chain(global float *a, global float *b) {
  float x = b[0];
  FOUR(FOUR(x = x * x;)) FOUR(FOUR(x = x + x;)) FOUR(FOUR(x = x * x;))
  a[get_global_id(0)] = x;
}
// A chain through conditions, with calls of functions that have vector instances (backends/cpu/codegen/MathLibrary).
#define COUNT(x) if (y > x) out[n++] = sin(y);
kernel void conditions(global float *in, global float *out) {
  int n = 0;
  float y = in[get_global_id(0)];
  FOUR(FOUR(FOUR(COUNT(1) COUNT(2) COUNT(3))))
}
