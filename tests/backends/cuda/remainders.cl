// LANG-1.13.2d, NUM-2.4b: fmod and remainder of floats take one approximate reciprocal, whose quotient only has to be
// right to 1/2. Large quotients take doubles, whose quotients are rounded correctly in every build.

// RUN: kiln-clc %s -o %t.spv
// RUN: kilnc --target=nvptx:sm_90 --emit=asm %t.spv -o - | FileCheck %s --implicit-check-not=div.full --implicit-check-not=div.approx --implicit-check-not=div.rn.f32
// RUN: kilnc --target=nvptx:sm_90 --options=-cl-fast-relaxed-math --emit=asm %t.spv -o - | FileCheck %s --implicit-check-not=div.full --implicit-check-not=div.approx --implicit-check-not=div.rn.f32
// CHECK-DAG: rcp.approx.ftz.f32
// CHECK-DAG: div.rn.f64
// CHECK-DAG: .entry remainders(
kernel void remainders(global float *x, global const float *y) {
  size_t i = get_global_id(0);
  x[i] = fmod(x[i], y[i]) + remainder(y[i], x[i]);
}
