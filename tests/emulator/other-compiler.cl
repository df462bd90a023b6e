// Clang's code runs in place of Kiln's, with the arguments at Clang's offsets: a pointer to local memory has 32 bits there.
// REQUIRES: clang-spirv
// RUN: rm -rf %t && mkdir %t
// RUN: %clang_spirv --target=amdgcn-amd-amdhsa -mcpu=gfx942 -O2 -nogpulib -x cl -cl-std=CL1.2 -DCLANG %s -o %t/scale.gfx942.co
// RUN: env KILN_DEVICES=hip KILN_HIP_LIBRARY=%kiln_lib/libkiln-hip-emulator.so KILN_EMULATED_GPU=gfx942 KILN_EMULATOR_REPLACE=%t kiln-run %s scale --global=4 --local=4 out:u32[4] local=16 u32=7 | FileCheck %s
// CHECK: argument 0: 107 107 107 107
#ifdef CLANG
#define ITEM __builtin_amdgcn_workitem_id_x()
#define MORE 100
#else
#define ITEM get_local_id(0)
#define MORE 0
#endif
kernel void scale(global uint *out, local uint *room, uint factor) {
  room[ITEM] = factor + MORE;
  out[ITEM] = room[ITEM];
}
