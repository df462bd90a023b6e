// Kernels with endless loops must build, with and without vectors, because the loop may never be reached.

// RUN: kilnc %s -o %t.so
// RUN: kilnc --machine-width=1 %s -o %t.so
kernel void counts(global int *p) {
  for (;;)
    p[get_global_id(0)]++;
}

// RUN: kiln-run %s conditional --global=8 --local=8 inout:i32[8]=0 | FileCheck %s
// CHECK: argument 0: 0 1 2 3 4 5 6 7{{$}}
kernel void conditional(global int *p) {
  if (p[0])
    for (;;) {
    }
  barrier(CLK_GLOBAL_MEM_FENCE);
  p[get_global_id(0)] = get_global_id(0);
}
