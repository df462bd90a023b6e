// The quotients of fmod and remainder are rounded correctly, also in builds whose divisions are not: with an error of
// 2 ulp the remainder of a large quotient is wrong by a multiple of the divisor.

// RUN: kiln-clc %s -o %t.spv
// RUN: kilnc --target=nvptx:sm_90 --emit=asm %t.spv -o - | FileCheck %s
// RUN: kilnc --target=nvptx:sm_90 --options=-cl-fast-relaxed-math --emit=asm %t.spv -o - | FileCheck %s
// CHECK-LABEL: .entry remainders(
// CHECK: div.rn.f32
// CHECK-NOT: div.full
// CHECK-NOT: div.approx
kernel void remainders(global float *x, global const float *y) {
  size_t i = get_global_id(0);
  x[i] = fmod(x[i], y[i]) + remainder(y[i], x[i]);
}
