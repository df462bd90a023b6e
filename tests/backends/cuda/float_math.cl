// LANG-1.13.2a, LANG-1.13.2b, LANG-1.13.2c: functions of floats compute in floats, because most GPUs compute doubles at
// 1/64 of the rate, and without divisions over the full range.

// RUN: kilnc --target=nvptx:sm_90 %s -o - | FileCheck %s --implicit-check-not=.f64 --implicit-check-not=div.rn
#define ONE(name) y[i] = name(y[i]);
#define ALL                                                                                                            \
  ONE(acos) ONE(acosh) ONE(acospi) ONE(asin) ONE(asinh) ONE(asinpi) ONE(atan) ONE(atanh) ONE(atanpi) ONE(cbrt) ONE(cosh) \
  ONE(cospi) ONE(erf) ONE(erfc) ONE(exp) ONE(log1p) ONE(sinh) ONE(sinpi) ONE(tanh) ONE(tanpi) ONE(tgamma)
// CHECK-LABEL: .entry functions(
// CHECK-NOT: div.full
// CHECK: ret;
kernel void functions(global float *y, int n) {
  size_t i = get_global_id(0);
  ALL y[i] = hypot(y[i], y[i + 1]);
  y[i] = pown(y[i], n);
  y[i] = rootn(y[i], n);
}

// A constant exponent leaves products only.
// CHECK-LABEL: .entry cube(
// CHECK-NOT: ex2
// CHECK-COUNT-2: mul.rn.f32
// CHECK: st.global
kernel void cube(global float *y) {
  size_t i = get_global_id(0);
  y[i] = pown(y[i], 3);
}
