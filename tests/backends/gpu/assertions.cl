// A failed assertion ends its work-item by a return or an exit, not by the hardware's trap, which loses the device.

// RUN: kiln-clc %s -o %t.spv
// RUN: kilnc --target=nvptx:sm_90 --emit=asm %t.spv -o %t.ptx && FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_90 %t.ptx -o /dev/null %}
// PTX-LABEL: .entry root(
// PTX: atom.{{.*}}add
// PTX-NOT: trap;
// PTX: exit;
// PTX-NOT: trap;
// PTX-LABEL: .entry looped(
// PTX-NOT: trap;
// PTX-DAG: bar.sync
// PTX-DAG: exit;
// PTX-NOT: trap;

// RUN: kilnc --target=amdgpu:gfx942 --emit=asm %t.spv -o - | FileCheck %s --check-prefix=AMD
// RUN: kilnc --target=amdgpu:gfx1100 --emit=asm %t.spv -o - | FileCheck %s --check-prefix=AMD
// AMD-LABEL: root:
// AMD: global_atomic_add
// AMD-NOT: s_trap
// AMD: s_endpgm
// AMD-LABEL: looped:
// AMD-NOT: s_trap
// AMD: s_barrier
// AMD-NOT: s_trap
// AMD: s_endpgm

kernel void root(global float *x) {
  size_t i = get_global_id(0);
  assert(x[i] >= 0);
  x[i] = sqrt(x[i]);
}

float checked(float x) {
  if (x < 0)
    __builtin_trap();
  return x;
}

kernel void looped(global float *x, local float *shared, int n) {
  for (int i = 0; i < n; ++i) {
    shared[get_local_id(0)] = checked(x[get_global_id(0)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    x[get_global_id(0)] += shared[get_local_id(0) ^ 1];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
