// KILN_CHECK_ASSUMPTIONS: code with checks computes the same result, and reports no false difference.
// FEATURES: EXEC-3.2.2b

// RUN: env KILN_CHECK_ASSUMPTIONS=1 kiln-run %s tiles --global=40 --local=40 out:u32[40] in:u32[40]=iota u64=7 2>&1 | FileCheck %s
// RUN: rm -rf %t && env KILN_CHECK_ASSUMPTIONS=1 KILN_CACHE=0 KILN_DUMP=%t kiln-run %s tiles --global=40 --local=40 out:u32[40] in:u32[40]=iota u64=7
// RUN: cat %t/*/3.ll | FileCheck %s --check-prefix=CODE
// CHECK-NOT: assumption
// CODE: atomicrmw add
// CHECK: argument 0: 0 2 4 6 8 10 12 1 3 5 7 9 11 13 2 4 6 8 10 12 14 3 5 7 9 11 13 15 4 6 8 10 12 14 16 5 7 9 11 13{{$}}
kernel void tiles(global uint *out, global const uint *in, ulong s) {
  const size_t i = get_global_id(0);
  out[i] = in[i % s] * 2 + (uint)(i / s);
}
