// Only private variables become values, and later passes can optimise: no-wrap flags are set, loops and functions have no attributes
// against unrolling and inlining, also with
// -cl-opt-disable, which keeps variables in memory.

// RUN: kiln-clc %s -o %t.spv && spirv-val --target-env opencl2.2 %t.spv && spirv-dis %t.spv | FileCheck %s --check-prefixes=CHECK,VALUES
// RUN: kiln-clc -cl-opt-disable %s | spirv-dis | FileCheck %s --check-prefixes=CHECK,MEMORY
// CHECK-NOT: DontInline
// CHECK-NOT: OptNone
// CHECK: OpExtension "SPV_KHR_no_integer_wrap_decoration"
// CHECK: OpDecorate %[[SUM:.*]] NoSignedWrap
// CHECK-NOT: DontInline
// MEMORY: OpVariable %{{.*}} Function
// VALUES-NOT: OpVariable %{{.*}} Function
// CHECK-NOT: OpLifetime
// CHECK: %[[SUM]] = OpIAdd
// CHECK-NOT: DontInline
int next(int i) { return i + 1; }
kernel void k(global int *p, int n) {
  for (int i = 0; i < n; ++i)
    p[next(i)] = i;
}
