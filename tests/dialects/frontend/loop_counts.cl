// Unroll counts need SPIR-V 1.4, in which entry points list all variables that they use. Other modules have an older
// version.
// RUN: kiln-clc -cl-std=CL3.0 -DTIMES=4 %s -o %t.spv
// RUN: spirv-val --target-env spv1.4 %t.spv
// RUN: spirv-dis %t.spv | FileCheck %s --check-prefix=FOUR
// RUN: kiln-clc -cl-std=CL3.0 -DTIMES=1 %s -o %t.once.spv
// RUN: spirv-val --target-env opencl2.1 %t.once.spv
// RUN: spirv-dis %t.once.spv | FileCheck %s --check-prefix=ONCE
// FOUR: Version: 1.4
// FOUR: OpLoopMerge %{{.*}} %{{.*}} PartialCount 4
// ONCE: Version: 1.0
// ONCE: OpLoopMerge %{{.*}} %{{.*}} DontUnroll
constant int table[] = {2, 3, 5, 7};
kernel void sums(global const int *in, global int *out, int n) {
  size_t i = get_global_id(0);
  int sum = table[i & 3];
  __attribute__((opencl_unroll_hint(TIMES)))
  for (int k = 0; k < n; ++k)
    sum += in[k];
  out[i] = sum;
}
