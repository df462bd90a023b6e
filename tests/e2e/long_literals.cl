// LONG_MIN as a literal: 9223372036854775808 is no long, and its negation is LONG_MIN all the same. Image-processing
// kernels convert with saturation that way.
// RUN: kiln-run %s saturated --global=5 in:f32[5]=-1,2000,-7.8,-1e30,1e30 out:i64[5] | FileCheck %s
// RUN: kiln-run %s saturated --options=-cl-std=CL3.0 --global=5 in:f32[5]=-1,2000,-7.8,-1e30,1e30 out:i64[5] | FileCheck %s
// CHECK: argument 1: -1 2000 -7 -9223372036854775808 9223372036854775807{{$}}
kernel void saturated(global const float *in, global long *out) {
  float value = in[get_global_id(0)];
  long number = (long)value;
  if (value >= 9223372036854775807)
    number = 9223372036854775807;
  if (value < -9223372036854775808)
    number = -9223372036854775808;
  out[get_global_id(0)] = number;
}

// Where a computation with such a literal is left for the device, literals above LONG_MAX are of type ulong.
// RUN: kiln-run %s product --options=-DPRODUCT --global=3 out:u64[3] | FileCheck %s --check-prefix=PRODUCT
// PRODUCT: argument 0: 0 14029467366897019727 9612190660084487838{{$}}
#ifdef PRODUCT
kernel void product(global ulong *out) { out[get_global_id(0)] = get_global_id(0) * 14029467366897019727; }
#endif
