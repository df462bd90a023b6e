// The quick form of a large program: scalar, except where no kernel has control flow.
// RUN: kiln-clc %s -o %t.spv
// RUN: kilnc --target=cpu:x86-64-v4 --quick-form --report --emit=asm %t.spv -o - 2>&1 | FileCheck %s --check-prefix=STRAIGHT
// RUN: kiln-clc %s -DLOOP -o %t.loop.spv
// RUN: kilnc --target=cpu:x86-64-v4 --quick-form --report --emit=asm %t.loop.spv -o - 2>&1 | FileCheck %s --check-prefix=LOOP
// STRAIGHT: kernel 'long_line' is vectorized
// LOOP-NOT: is vectorized
#define FOUR(x) x x x x

kernel void long_line(global float *to, global const float *from, int n) {
  const int i = get_global_id(0);
  float v = from[i], w = 0.5f;
  FOUR(FOUR(FOUR(v = v * w + 1.0f; w = w * v;)))
  to[i] = v + w;
}

#ifdef LOOP
kernel void sum(global float *to, global const float *from, int n) {
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += from[k];
  to[get_global_id(0)] = sum;
}
#endif
