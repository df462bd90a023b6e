// -g adds a line to every instruction, and the module is valid.

// RUN: kiln-clc %s | spirv-dis | FileCheck %s --check-prefix=NONE
// NONE-NOT: OpLine
// RUN: kiln-clc -g %s -o %t.spv && spirv-val %t.spv && spirv-dis %t.spv | FileCheck %s
// CHECK-NOT: DebugInfo
// CHECK: %[[FILE:.*]] = OpString "{{.*}}debug.cl"
// CHECK-NOT: DebugInfo
// CHECK: OpLine %[[FILE]] [[@LINE+2]]
// CHECK: OpIMul
kernel void k(global int *p) { p[0] = p[1] * 2; }
