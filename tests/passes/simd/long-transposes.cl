// Vectors of 8 and 16 components become columns by steps of two-vector shuffles. LLVM would make 15 instructions of a
// shuffle that takes every 16th element of a long vector.
// RUN: kilnc --target=cpu:znver4 --emit=llvm %s -o - | FileCheck %s
// CHECK-NOT: <i32 0, i32 16, i32 32, i32 48, i32 64
// CHECK-NOT: <i32 0, i32 8, i32 16, i32 24, i32 32
// CHECK: define {{.*}}@sixteen
// CHECK-NOT: <i32 0, i32 16, i32 32, i32 48, i32 64
kernel void sixteen(global float16 *a, float s) {
  size_t i = get_global_id(0);
  float16 v = a[i];
  v.s0 = sin(v.sf);
  a[i] = sqrt(v) * s;
}
// CHECK: define {{.*}}@eight
// CHECK-NOT: <i32 0, i32 8, i32 16, i32 24, i32 32
kernel void eight(global short8 *a, global int *o) {
  size_t i = get_global_id(0);
  short8 v = a[i];
  o[i] = v.s0 + v.s1 * v.s2 + v.s3 * v.s4 - v.s5 * v.s6 + v.s7;
}
