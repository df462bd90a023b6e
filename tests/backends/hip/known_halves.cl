// Half of the `or` is known to be all ones, and its difference to the other operand is not (SetKnownHalves.h).

// RUN: kiln-clc %s -o %t.spv
// RUN: kilnc --target=amdgpu:gfx942 --emit=asm %t.spv -o - | FileCheck %s
// CHECK-LABEL: halves:
// CHECK: v_sub_co_u32_e32 v{{[0-9]+}}, vcc, -1, v{{[0-9]+}}
kernel void halves(global ulong *a, global const ulong *b) {
  size_t i = get_global_id(0);
  a[i] = rhadd(a[i], b[i] | 0xffffffff); // (x | y) - ((x ^ y) >> 1)
}
