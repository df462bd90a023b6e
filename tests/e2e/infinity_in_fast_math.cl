// Programs with -cl-fast-relaxed-math or -cl-finite-math-only still divide by infinity, as in 1 / (1 + exp(-x)), and
// start maxima from -INFINITY. Vector code gives what division gives (backends/cpu/codegen/EstimateQuotients.h).
// RUN: kiln-run %s sigmoid --options=-cl-fast-relaxed-math --global=64 --local=64 out:f32[64] | FileCheck %s
// RUN: kiln-run %s sigmoid --options=-cl-finite-math-only --global=64 --local=64 out:f32[64] | FileCheck %s
// RUN: kiln-run %s quotients --options=-cl-fast-relaxed-math --global=64 --local=64 out:f32[64] | FileCheck %s --check-prefix=QUOTIENTS
// RUN: kiln-run %s largest --options=-cl-fast-relaxed-math --global=64 --local=64 out:f32[64] | FileCheck %s --check-prefix=LARGEST
// CHECK: argument 0: 0 0 8.756{{[0-9]*}}e-27 0.5 1 1 1 1 0 0 8.756
// QUOTIENTS: argument 0: 0 -0 inf 2 0.5 inf 0 -0 inf 2 0.5 inf
// LARGEST: argument 0: -inf 1 2 3
kernel void sigmoid(global float *out) {
  float x = (float)((int)(get_global_id(0) % 8) - 3) * 60;
  out[get_global_id(0)] = 1.0f / (1.0f + exp(-x));
}
kernel void quotients(global float *out) {
  size_t i = get_global_id(0) % 6;
  float x = i == 0 ? INFINITY : i == 1 ? -INFINITY : i == 2 ? 0.0f : i == 3 ? 1.0f : i == 4 ? 4.0f : 0x1p-130f;
  out[get_global_id(0)] = 2.0f / x;
}
kernel void largest(global float *out) {
  size_t n = get_global_id(0) % 4;
  float most = -INFINITY;
  for (size_t i = 0; i < n; ++i)
    most = fmax(most, (float)(i + 1));
  out[get_global_id(0)] = most;
}
