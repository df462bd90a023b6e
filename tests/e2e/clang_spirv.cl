// SPIR-V of another producer: Clang's SPIR-V target. Its modules have a later version, are optimised (phis, switches), and
// declare built-in variables in another form.
// FEATURES: IL-6.1a IL-6.1g
// REQUIRES: clang-spirv
// RUN: %clang_spirv -O0 -cl-std=CL2.0 -c %s -o %t.0.spv && kiln-run %t.0.spv k --global=8 --local=4 out:i32[8] in:i32[8]=iota i32=9 local=16 | FileCheck %s
// RUN: %clang_spirv -O2 -cl-std=CL2.0 -c %s -o %t.2.spv && kiln-run %t.2.spv k --global=8 --local=4 out:i32[8] in:i32[8]=iota i32=9 local=16 | FileCheck %s
// RUN: kiln-run %s k --global=8 --local=4 out:i32[8] in:i32[8]=iota i32=9 local=16 | FileCheck %s
// CHECK: argument 0: 37 36 38 37 21 20 21 20
constant int table[4] = {3, 1, 4, 1};
struct Pair {
  int a;
  float b;
};

int pick(int which, int x) {
  switch (which) {
  case 0:
    return x + 1;
  case 3:
    return x * 2;
  case 7:
    return x - 3;
  default:
    return -x;
  }
}

kernel void k(global int *out, global const int *in, int n, local int *tile) {
  size_t i = get_global_id(0), l = get_local_id(0);
  int sum = 0;
  for (int j = 0; j < n; ++j)
    sum += pick(j, in[i]) + table[j & 3];
  tile[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  struct Pair p = {tile[get_local_size(0) - 1 - l], 0.5f};
  out[i] = p.a + (int)(p.b * 4.0f) + max(sum, 5) + popcount((uint)sum);
}
