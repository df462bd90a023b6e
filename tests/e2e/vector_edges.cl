// Edge cases of vectorization. The square roots make it profitable.
// FEATURES: EXEC-3.2.2b
uint same(uint x) { return (uint)sqrt((float)(x * x)); }

// An 8-bit index that wraps around inside a vector, so that the addresses are not consecutive.
// RUN: kiln-run %s index_wraps --global=16 --local=16 out:u32[256] u8=252 | FileCheck %s --check-prefix=INDEX
// INDEX: argument 0: 4 5 6 7 8 9 10 11 12 13 14 15 0 {{.*}} 0 0 1 2 3
kernel void index_wraps(global uint *out, uchar first) {
  const uchar at = (uchar)(get_global_id(0) + first);
  out[at] = same(get_global_id(0));
}

// The address does not wrap around, but the stored value does.
// RUN: kiln-run %s value_wraps --global=16 --local=16 out:u32[32] u8=0 u8=250 | FileCheck %s --check-prefix=VALUE
// VALUE: argument 0: 250 0 251 0 252 0 253 0 254 0 255 0 0 0 1 0 2 0 3 0 4 0 5 0 6 0 7 0 8 0 9 0
kernel void value_wraps(global uint *out, uchar first, uchar start) {
  const uchar at = (uchar)(get_global_id(0) + first), value = (uchar)(get_global_id(0) + start);
  if (same(get_global_id(0)) < 100)
    out[2 * at] = value;
}

// An 8-bit sum inside a 32-bit sum; either may wrap around.
// RUN: kiln-run %s both_wrap --global=16 --local=16 out:u32[16] in:u32[8]=0,1,2,3,4,5,6,7 u8=254 u32=2 | FileCheck \
// RUN:   %s --check-prefix=BOTH
// BOTH: argument 0: 100 100 2 3 4 5 6 7 100 100 100 100 100 100 100 100
kernel void both_wrap(global uint *out, global const uint *in, uchar first, uint second) {
  const uint at = (uint)(uchar)(get_global_id(0) + first) + second;
  out[get_global_id(0)] = same(get_global_id(0)) < 16 && at < 8 && get_global_id(0) > 1 ? in[at] : 100;
}

// A work-item query with a different dimension in each work-item.
// RUN: kiln-run %s dimensions --global=16 --local=16 out:u32[16] | FileCheck %s --check-prefix=DIMENSIONS
// DIMENSIONS: argument 0: 16 1 16 1 16 1 16 1 16 1 16 1 16 1 16 1
kernel void dimensions(global uint *out) {
  const uint i = get_global_id(0);
  out[i] = get_global_size(same(i) & 1);
}

// The bound of the row is inside a vector, after full vectors.
// RUN: kiln-run %s part_of_a_row --global=40 --local=40 out:u32[40] u32=21 | FileCheck %s --check-prefix=PART
// PART: argument 0: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
kernel void part_of_a_row(global uint *out, uint n) {
  const uint i = get_global_id(0);
  if (i < n)
    out[i] = same(i);
}

// Both bounds are inside vectors, or inside one vector. No work-item reads before the first element.
// RUN: kiln-run %s inside --global=48 --local=48 out:i32[48] in:i32[40]=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39 u32=40 u32=3 | FileCheck %s --check-prefix=INSIDE
// INSIDE: argument 0: 0 0 0 6 8 10 12 14 16 18 20 22 24 26 28 30 32 34 36 38 40 42 44 46 48 50 52 54 56 58 60 62 64 66 68 70 72 0 0 0 0 0 0 0 0 0 0 0
// RUN: kiln-run %s inside --global=48 --local=48 out:i32[48] in:i32[8]=1,2,3,4,5,6,7,8 u32=8 u32=1 | FileCheck %s --check-prefix=SMALL
// SMALL: argument 0: 0 4 6 8 10 12 14 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
kernel void inside(global int *out, global const int *in, uint n, uint edge) {
  uint i = get_global_id(0);
  if (i < edge || i >= n - edge)
    return;
  out[i] = in[i - 1] + in[i + 1];
}
