// asm statements for AMD's GPUs, which LLVM assembles.
// RUN: kiln-clc -cl-std=CL2.0 %s -o %t.spv
// RUN: kilnc --target=amdgpu:gfx942 --emit=asm %t.spv -o - | FileCheck %s
// CHECK-DAG: v_add_u32{{.*}} v{{[0-9]+}}, v{{[0-9]+}}, v{{[0-9]+}}
// CHECK-DAG: s_mov_b32 s{{[0-9]+}}, 5
kernel void k(global uint *o) {
  uint i = get_global_id(0), r, s;
  __asm__("v_add_u32 %0, %1, %2" : "=v"(r) : "v"(i), "v"(i));
  __asm__ volatile("s_mov_b32 %0, 5" : "=s"(s));
  o[i] = r + s;
}
// RUN: sed 's/v_add_u32/v_no_such_instruction/' %s > %t.cl
// RUN: not kilnc --target=amdgpu:gfx942 --emit=so %t.cl -o %t.so 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: {{.*}}invalid instruction
