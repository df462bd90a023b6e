// Edge cases of math functions: subnormal arguments and results, huge exponents, poles.
// RUN: kiln-run %s small --global=1 out:f32[8] | FileCheck %s --check-prefix=SMALL
// SMALL: argument 0: 3.{{[679][0-9]*}}e-44 5.0{{[0-9]*}}e-43 5.62{{[0-9]*}}e-41 4.54747351e-13 4.20389539e-45 -1.821688e-44
// SMALL-SAME: 3.769{{[0-9]*}}e-41 1.{{59|6}}{{[0-9]*}}e-38
kernel void small(global float *out) {
  float tiny = as_float(0x100); // 2^-141
  out[0] = exp(-100.0f), out[1] = exp2(-140.5f), out[2] = exp10(-40.25f);
  out[3] = ldexp(tiny, 100), out[4] = fmod(as_float(0x203), tiny), out[5] = remainder(as_float(0x1f3), tiny);
  out[6] = erfc(9.5f), out[7] = rootn(6.25e37f, -1);
}
// RUN: kiln-run %s large --global=1 out:f64[6] | FileCheck %s --check-prefix=LARGE
// LARGE: argument 0: 0 0 1 inf {{-?}}nan 0
kernel void large(global double *out) {
  out[0] = pow(0.5, 1e70), out[1] = pow(1.0000001, -1e50), out[2] = pow(-1.0, 1e300), out[3] = pow(2.0, (double)INFINITY);
  out[4] = ldexp(NAN, -94), out[5] = powr(3.0, -1e40);
}
// RUN: kiln-run %s gammas --global=1 out:f64[6] | FileCheck %s --check-prefix=GAMMA
// GAMMA: argument 0: {{24|24.00000000000[0-9]*|23.99999999999[0-9]*}} -inf {{-?}}nan 9.483367566{{[0-9]*}}e+307 inf -3.312739521{{[0-9]*}}e-308
kernel void gammas(global double *out) {
  out[0] = tgamma(5.0), out[1] = tgamma(-0.0), out[2] = tgamma(-3.0), out[3] = tgamma(171.5), out[4] = tgamma(172.0);
  out[5] = tgamma(-170.5);
}

// fract keeps the sign of a zero and of an infinity. The fraction of a negative whole number is +0.
// RUN: kiln-run %s fract_zeros --global=4 --local=4 out:u32[8] in:f32[4]=-0.0,0.0,-inf,-2.0 | FileCheck %s --check-prefix=FRACT
// FRACT: argument 0: 2147483648 0 2147483648 0 2147483648 0 4286578688 3221225472{{$}}
kernel void fract_zeros(global uint *out, global const float *in) {
  const size_t i = get_global_id(0);
  float whole;
  out[i] = as_uint(fract(in[i], &whole));
  out[i + 4] = as_uint(whole);
}
