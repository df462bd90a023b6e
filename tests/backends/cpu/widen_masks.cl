// backends/cpu/codegen/WidenMasks: a loop-carried mask is a vector of i32 if the processor has no mask registers. Masks of
// byte comparisons are kept.
// RUN: kiln-clc %s -o %t.spv
// RUN: kilnc --target=cpu:x86-64-v3 --emit=llvm --machine-width=8 %t.spv -o - | FileCheck %s --check-prefix=WIDE
// RUN: kilnc --target=cpu:x86-64-v4 --emit=llvm --machine-width=8 %t.spv -o - | FileCheck %s --check-prefix=MASKS
// WIDE-LABEL: define void @leave.group
// WIDE-NOT: phi <{{[0-9]+}} x i1>
// WIDE: phi <[[LANES:[0-9]+]] x i32>
// WIDE-NOT: phi <{{[0-9]+}} x i1>
// WIDE-LABEL: define void @bytes.group
// WIDE: phi <{{[0-9]+}} x i1>
// MASKS-LABEL: define void @leave.group
// MASKS: phi <{{[0-9]+}} x i1>
kernel void leave(global float *a, int limit) {
  float x = a[get_global_id(0)];
  int n = 0;
  for (; n < limit && x < 100; ++n)
    x = x * x + 1;
  a[get_global_id(0)] = n;
}
kernel void bytes(global uchar *a, global uint *counts, uint limit) {
  uint n = 0;
  while (n < limit && a[get_global_id(0) + n] != 0)
    ++n;
  counts[get_global_id(0)] = n;
}
