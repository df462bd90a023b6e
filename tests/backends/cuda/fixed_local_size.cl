// Kernels with loops get a variant for the local size in use, for which the assembler chooses the number of registers.
// RUN: kiln-clc %s -o %t.spv
// RUN: kilnc --target=nvptx:sm_90 --report %t.spv -o %t.ptx 2>&1 | FileCheck %s
// RUN: kilnc --target=amdgpu:gfx942 --report %t.spv -o %t.o 2>&1 | FileCheck --check-prefix=AMD %s
// RUN: kilnc --target=nvptx:sm_90 --kernel=sum --local-size=128 %t.spv -o - | FileCheck --check-prefix=SIZED %s

// AMD-NOT: gains
// SIZED: .reqntid 128, 1, 1

// CHECK: sum: {{.*}}, gains from a fixed local size
kernel void sum(global const float *from, global float *to, int n) {
  float all = 0;
  for (int i = 0; i < n; ++i)
    all += from[i * get_global_size(0) + get_global_id(0)];
  to[get_global_id(0)] = all;
}

// CHECK: sum_of_64:
// CHECK-NOT: gains
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void sum_of_64(global const float *from, global float *to,
                                                                      int n) {
  float all = 0;
  for (int i = 0; i < n; ++i)
    all += from[i * get_global_size(0) + get_global_id(0)];
  to[get_global_id(0)] = all;
}

// CHECK: clamped:
// CHECK-NOT: gains
kernel void clamped(global float *values, int n) {
  if ((int)get_global_id(0) < n)
    values[get_global_id(0)] = clamp(values[get_global_id(0)], 0.0f, 1.0f);
}
