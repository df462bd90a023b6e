// Half precision as a number type: every step rounds to half, and fma once.
// FEATURES: X-E03
// RUN: kiln-run %s steps --global=1 out:f32[8] | FileCheck %s --check-prefix=STEPS
// STEPS: argument 0: 2048 65504 inf 5.96046448e-08 0.333251953 1.73242188 -0.0009765625 0.00100040436
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF
kernel void steps(global float *out) {
  half one = (half)out[0] + 1, big = 2048 * one, least = as_half((ushort)1);
  out[0] = (big + one) - (half)0, out[1] = 65504 * one, out[2] = out[1] + (half)65504 * one;
  out[3] = least * one, out[4] = one / 3, out[5] = sqrt(3 * one);
  // (1 + 2^-10)(1 - 2^-10) - 1 is -2^-20, which the product alone loses.
  half near = one + (half)0x1p-10f, under = one - (half)0x1p-10f;
  out[2] = (half)out[2], out[6] = (near * under - one) * 1024 - (half)0x1p-10f, out[7] = 0.001h * one;
}
// RUN: kiln-run %s fused --global=1 out:f32[4] | FileCheck %s --check-prefix=FUSED
// FUSED: argument 0: -9.53674316e-07 2048 2050 65504
kernel void fused(global float *out) {
  half one = (half)out[0] + 1, near = one + (half)0x1p-10f, under = one - (half)0x1p-10f;
  out[0] = fma(near, under, -one);
  // Between 2048 and 2050 lies no half: what is just below or above the middle decides.
  half big = 2048 * one, least = as_half((ushort)1);
  out[1] = fma(one, one, big), out[2] = fma(near, one, big), out[3] = fma(one, (half)65504, least);
}
// RUN: kiln-run %s built_ins --global=1 out:f32[12] | FileCheck %s --check-prefix=BUILTINS
// BUILTINS: argument 0: 5.96046448e-08 0 1.00097656 nan -24 2.14748365e+09 2.14748365e+09 -24 1 -2 3 2
kernel void built_ins(global float *out) {
  half zero = (half)out[0], one = zero + 1, none = nan((ushort)0), least = as_half((ushort)1);
  out[0] = nextafter(zero, one), out[1] = nextafter(least, -one), out[2] = nextafter(one, 2 * one);
  out[3] = isnan(nextafter(none, one)) ? NAN : 0, out[4] = ilogb(least), out[5] = ilogb(none), out[6] = ilogb(one / zero);
  out[7] = logb(least), out[8] = fmin(none, one), out[9] = fmax((half2)(-3, none), (half2)(-2, none)).x;
  out[10] = dot((half4)(one, one, one, zero), (half4)(one)), out[11] = (float)length((half4)(one));
}
