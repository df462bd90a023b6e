// backends/cpu/codegen/NontemporalLoads: loads of less than a vector register lose the hint, loads of 16 bytes keep it.
// RUN: kiln-clc %s -o %t.spv
// RUN: kilnc --target=cpu:x86-64-v3 --emit=llvm --machine-width=0 %t.spv -o - | FileCheck %s
// RUN: kilnc --target=cpu:x86-64-v3 --emit=obj --machine-width=0 %t.spv -o %t.o
// CHECK-LABEL: define void @bytes.group
// CHECK: load i8
// CHECK-NOT: !nontemporal
// CHECK-LABEL: define void @vectors.group
// CHECK: load <4 x float>{{.*}} !nontemporal
kernel void bytes(global char *a, global char *b) {
  a[get_global_id(0)] ^= __builtin_nontemporal_load(&b[get_global_id(0)]);
}
kernel void vectors(global float4 *a, global float4 *b) {
  a[get_global_id(0)] += __builtin_nontemporal_load(&b[get_global_id(0)]);
}
