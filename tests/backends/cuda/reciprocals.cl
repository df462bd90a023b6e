// The reciprocal of a number that is at least 2^-100 is rcp.approx.ftz of a quarter of it. Others keep denormal numbers.
// RUN: kiln-clc -cl-std=CL1.2 %s -o %t.spv
// RUN: kilnc --target=nvptx:sm_90 --emit=asm %t.spv -o - | FileCheck %s

// CHECK-LABEL: .entry at_least_one(
// CHECK: fma.rn.f32 %[[SUM:r[0-9]+]],
// CHECK: mul.rn.f32 %[[QUARTER:r[0-9]+]], %[[SUM]], 0f3E800000;
// CHECK: rcp.approx.ftz.f32 %[[RESULT:r[0-9]+]], %[[QUARTER]];
// CHECK: mul.rn.f32 %{{r[0-9]+}}, %[[RESULT]], 0f3E800000;
// CHECK: ret;
kernel void at_least_one(global float *x) {
  size_t i = get_global_id(0);
  x[i] = 1.0f / (1.0f + 0.25f * fabs(x[i]));
}

// CHECK-LABEL: .entry square_and_constant(
// CHECK: rcp.approx.ftz.f32
// CHECK: ret;
kernel void square_and_constant(global float *x) {
  size_t i = get_global_id(0);
  x[i] = 1.0f / (x[i] * x[i] + 1e-6f);
}

// CHECK-LABEL: .entry any_sum(
// CHECK-NOT: .ftz
// CHECK: rcp.approx.f32
// CHECK-NOT: .ftz
// CHECK: ret;
kernel void any_sum(global float *x) {
  size_t i = get_global_id(0);
  x[i] = 1.0f / (1.0f + x[i]);
}

// CHECK-LABEL: .entry small_constant(
// CHECK-NOT: .ftz
// CHECK: rcp.approx.f32
// CHECK-NOT: .ftz
// CHECK: ret;
kernel void small_constant(global float *x) {
  size_t i = get_global_id(0);
  x[i] = 1.0f / (1e-37f + fabs(x[i]));
}
