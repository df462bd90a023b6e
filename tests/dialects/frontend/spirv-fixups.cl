// dialects/frontend/SpirvFixups: constructs for which the translator alone writes invalid SPIR-V.
// RUN: kiln-clc -cl-std=CL3.0 %s -o %t.spv && spirv-val --target-env opencl2.2 %t.spv
// RUN: spirv-dis %t.spv | FileCheck %s

// Queries of constant dimensions above 2 become constants.
// CHECK-LABEL: %beyond = OpFunction
// CHECK-NOT: OpCompositeExtract
// CHECK-COUNT-4: OpStore {{%[0-9a-z_]+}} %ulong_0
// CHECK-COUNT-4: OpStore {{%[0-9a-z_]+}} %ulong_1
kernel void beyond(global ulong *out) {
  out[0] = get_global_id(3), out[1] = get_local_id(4), out[2] = get_group_id(3), out[3] = get_global_offset(~0u);
  out[4] = get_global_size(3), out[5] = get_local_size(3), out[6] = get_num_groups(5);
  out[7] = get_enqueued_local_size(3);
}

// An inner loop whose merge block is the outer loop's continue target.
// CHECK-LABEL: %nested = OpFunction
// CHECK-COUNT-2: OpBranchConditional
kernel void nested(global int *p, int n) {
  for (int i = 0; i < n; ++i)
    do
      p[i] -= 3;
    while (p[i] > 0);
}

// A loop whose last block is empty.
// CHECK-LABEL: %empty = OpFunction
kernel void empty(global int *p) {
  while (1)
    if (p[0]++ > 7)
      return;
}

// Nested loops with break and continue in each.
// CHECK-LABEL: %many = OpFunction
kernel void many(global int *p, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) {
      if (p[j] == 5)
        break;
      while (p[j] < 9) {
        if (p[j]++ == 7)
          continue;
        for (int k = 0; k < 3; ++k)
          p[k] += j;
      }
    }
}
