// Half-precision arithmetic: every operation rounds to half, and fma rounds once.
// FEATURES: X-E03
// RUN: kiln-run %s steps --global=1 out:f32[8] | FileCheck %s --check-prefix=STEPS
// STEPS: argument 0: 2048 65504 inf 5.96046448e-08 0.333251953 1.73242188 -0.0009765625 0.00100040436
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF
kernel void steps(global float *out) {
  half one = (half)out[0] + 1, big = 2048 * one, least = as_half((ushort)1);
  out[0] = (big + one) - (half)0, out[1] = 65504 * one, out[2] = out[1] + (half)65504 * one;
  out[3] = least * one, out[4] = one / 3, out[5] = sqrt(3 * one);
  // (1 + 2^-10)(1 - 2^-10) - 1 is -2^-20 without rounding of the product, and 0 with it.
  half near = one + (half)0x1p-10f, under = one - (half)0x1p-10f;
  out[2] = (half)out[2], out[6] = (near * under - one) * 1024 - (half)0x1p-10f, out[7] = 0.001h * one;
}
// RUN: kiln-run %s fused --global=1 out:f32[4] | FileCheck %s --check-prefix=FUSED
// FUSED: argument 0: -9.53674316e-07 2048 2050 65504
kernel void fused(global float *out) {
  half one = (half)out[0] + 1, near = one + (half)0x1p-10f, under = one - (half)0x1p-10f;
  out[0] = fma(near, under, -one);
  // 2048 and 2050 are adjacent halves. A sum just below or above the midpoint must round correctly.
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
// Integers beyond the range of half, also INT_MIN, in each rounding mode.
// FEATURES: LANG-1.2.3a
// RUN: kiln-run %s from_integers --global=1 in:i32[4]=-2147483648,2147483647,-65520,65519 out:u16[32] | FileCheck %s --check-prefix=INTEGERS
// INTEGERS: argument 1: 64512 31744 64512 31743 64511 31743 64511 31743 64511 31744 64511 31744 64512 31743 64512 31743
// INTEGERS-SAME: {{^| }}64512 31744 64512 31743 64511 31743 64511 31743 64511 31744 64511 31744 64512 31743 64512 31743
kernel void from_integers(global const int *in, global ushort *out) {
  int4 number = vload4(0, in);
  long4 wide = convert_long4(number) << (long4)(32, 32, 0, 0);
  vstore4(as_ushort4(convert_half4_rte(number)), 0, out), vstore4(as_ushort4(convert_half4_rtz(number)), 1, out);
  vstore4(as_ushort4(convert_half4_rtp(number)), 2, out), vstore4(as_ushort4(convert_half4_rtn(number)), 3, out);
  vstore4(as_ushort4(convert_half4_rte(wide)), 4, out), vstore4(as_ushort4(convert_half4_rtz(wide)), 5, out);
  vstore4(as_ushort4(convert_half4_rtp(wide)), 6, out), vstore4(as_ushort4(convert_half4_rtn(wide)), 7, out);
}
