// Correctly rounded quotients that are denormal, of floats and doubles: the same as on the CPU.
// RUN: kiln-run %s quotients --options=-cl-fp32-correctly-rounded-divide-sqrt --global=4 --local=4 in:f64[4]=2.2250738585072014e-308,2.2250738585072014e-308,4.9e-322,1e-310 in:f64[4]=-1.5,3,7,11 out:u64[4] out:u32[4] | FileCheck %s
// RUN: env KILN_DEVICES=hip KILN_EMULATED_GPU=gfx942,gfx1100 KILN_HIP_LIBRARY=%kiln_build/lib/libkiln-hip-emulator.so kiln-run %s quotients --options=-cl-fp32-correctly-rounded-divide-sqrt --global=4 --local=4 in:f64[4]=2.2250738585072014e-308,2.2250738585072014e-308,4.9e-322,1e-310 in:f64[4]=-1.5,3,7,11 out:u64[4] out:u32[4] | FileCheck %s --check-prefixes=CHECK,SECOND
// CHECK: device 0, argument 2: 9226374436606356139 1501199875790165 14 1840020484612
// CHECK: device 0, argument 3: 2153076053 2796203 1198373 762601
// SECOND: device 1, argument 2: 9226374436606356139 1501199875790165 14 1840020484612
// SECOND: device 1, argument 3: 2153076053 2796203 1198373 762601
kernel void quotients(global const double *n, global const double *d, global ulong *doubles, global uint *floats) {
  size_t i = get_global_id(0);
  doubles[i] = as_ulong(n[i] / d[i]);
  floats[i] = as_uint(0x1p-126f / (float)d[i]);
}
