// normalize() of vectors whose squares overflow or underflow, and of components far below the largest one.
// FEATURES: LANG-1.13.5
// RUN: kiln-run %s directions --global=1 in:u32[16]=3737658953,1142311837,477447318,0,2130706432,2130706432,2130706432,2130706432,1,0,0,0,2130706432,0,8388608,0 out:u32[16] | FileCheck %s
// -2^62.2, 601, 2^-70.06: the third quotient is subnormal, and all its bits must be correct.
// CHECK: argument 1: 3212836864 616578045 80309 0
// Four times 2^127: the length overflows.
// CHECK-SAME: 1056964608 1056964608 1056964608 1056964608
// The smallest subnormal number is normalized correctly.
// CHECK-SAME: 1065353216 0 0 0
// 2^-126 beside 2^127 becomes 0.
// CHECK-SAME: 1065353216 0 0 0
kernel void directions(global const uint *in, global uint *out) {
  for (int i = 0; i < 4; ++i)
    vstore4(as_uint4(normalize(as_float4(vload4(i, in)))), i, out);
}
