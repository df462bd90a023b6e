// All forms of a kernel fuse the same products into sums (passes/cpu/FuseMultiplyAdd), so they have the same bits: the
// vector form, the scalar form, and the quick form, in which LLVM does not find that a product was computed before.
// RUN: env KILN_CACHE=off KILN_QUICK_FORM=off kiln-run %s sums --global=256 out:u32[256] in:f32[512]=iota > %t.full
// RUN: env KILN_CACHE=off KILN_QUICK_FORM=off KILN_CPU_MACHINE_WIDTH=1 kiln-run %s sums --global=256 out:u32[256] in:f32[512]=iota > %t.scalar
// RUN: env KILN_CACHE=off kiln-run %s sums --global=256 out:u32[256] in:f32[512]=iota > %t.quick
// RUN: cmp %t.full %t.scalar
// RUN: cmp %t.full %t.quick
// RUN: FileCheck %s < %t.full
// CHECK: argument 0: {{[1-9]}}

// Loads in a branch: LLVM takes the values that were loaded before it, and the product as well.
#define AT(n) (in[(i + n) % 512] * 0.0137f)
#define STEP(n)                                                                                                         \
  {                                                                                                                    \
    float x = AT(n) * AT(n + 1) + sum;                                                                         \
    if (x > 0.1f * n)                                                                                                  \
      x = AT(n) * AT(n + 1) - 0.75f * x;                                                                       \
    sum += x * 0.3f;                                                                                                   \
  }
#define STEPS(n) STEP(n) STEP(n + 1) STEP(n + 2) STEP(n + 3) STEP(n + 4) STEP(n + 5) STEP(n + 6) STEP(n + 7)

kernel void sums(global uint *out, global const float *in) {
  size_t i = get_global_id(0);
  float sum = 0;
  STEPS(0) STEPS(8) STEPS(16)
  out[i] = as_uint(sum);
}
