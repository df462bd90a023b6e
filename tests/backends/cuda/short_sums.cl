// No add.s16x2: NVIDIA's assembler generates wrong code for it (SplitShortSums.h).

// RUN: kiln-clc %s -o %t.spv
// RUN: kilnc --target=nvptx:sm_90 --emit=asm %t.spv -o - | FileCheck %s
// CHECK: .entry sums(
// CHECK-NOT: add.s16x2
// CHECK-NOT: sub.s16x2
// CHECK-NOT: add.u16x2
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void sums(global ushort *u, global short *s, global half *h, global float *f, global const uint *wide) {
  vstore2(vload2(0, u) + (ushort2)(1, 2), 1, u);
  vstore4(vload4(0, s) - vload4(1, s), 1, s);
  vstore16(add_sat(vload16(0, u), (ushort16)(7)), 2, u);
  vstore3(sub_sat(vload3(0, s), (short3)(7)), 2, s);
  vstore_half3_rtz(vload3(0, f), 0, h);
  vstore8(abs_diff(vload8(0, s), vload8(1, s)) + convert_ushort8(mad_hi(vload8(0, s), vload8(1, s), vload8(2, s))), 3, u);
  vstore2(convert_ushort2(vload2(0, wide) + (uint2)(1, 2)), 5, u);
  vstore2(hadd(vload2(0, u), vload2(1, u)) + rhadd(vload2(0, s), vload2(1, s)).x, 4, u);
}
