// The code objects of every supported processor: the metadata that the runtime reads before a launch.
// RUN: kilnc --target=amdgpu:gfx906 %s -o %t && llvm-readelf -h --notes --dyn-syms %t | FileCheck %s --check-prefixes=CHECK,GFX9 -DNAME=gfx906
// RUN: kilnc --target=amdgpu:gfx90a %s -o %t && llvm-readelf -h --notes --dyn-syms %t | FileCheck %s --check-prefixes=CHECK,GFX9 -DNAME=gfx90a
// RUN: kilnc --target=amdgpu:gfx942 %s -o %t && llvm-readelf -h --notes --dyn-syms %t | FileCheck %s --check-prefixes=CHECK,GFX9 -DNAME=gfx942
// RUN: kilnc --target=amdgpu:gfx1030 %s -o %t && llvm-readelf -h --notes --dyn-syms %t | FileCheck %s --check-prefixes=CHECK,GFX10 -DNAME=gfx1030
// RUN: kilnc --target=amdgpu:gfx1100 %s -o %t && llvm-readelf -h --notes --dyn-syms %t | FileCheck %s --check-prefixes=CHECK,GFX10 -DNAME=gfx1100
// RUN: kilnc --target=amdgpu:gfx1201 %s -o %t && llvm-readelf -h --notes --dyn-syms %t | FileCheck %s --check-prefixes=CHECK,GFX10 -DNAME=gfx1201

// CHECK: OS/ABI: AMDGPU - HSA
// CHECK: Type: DYN (Shared object file)
// CHECK: Flags: 0x{{.*}}, [[NAME]]
// Only entry points and their descriptors are visible symbols.
// CHECK: Symbol table '.dynsym' contains 5 entries
// CHECK-DAG: FUNC {{.*}} tile
// CHECK-DAG: OBJECT {{.*}} tile.kd
// CHECK-DAG: FUNC {{.*}} parameters
// CHECK-DAG: OBJECT {{.*}} parameters.kd

// CHECK: amdhsa.kernels:
// Arguments at the offsets of the argument block, then the launch at a multiple of 8; no hidden arguments.
// CHECK: .offset: 0
// CHECK-NEXT: .size: 1
// CHECK: .offset: 16
// CHECK-NEXT: .size: 16
// CHECK: .offset: 32
// CHECK-NEXT: .size: 12
// CHECK: .offset: 48
// CHECK-NEXT: .size: 8
// CHECK: .offset: 56
// CHECK-NEXT: .size: 232
// CHECK-NOT: hidden
// CHECK: .group_segment_fixed_size: 0
// CHECK: .kernarg_segment_size: 288
// CHECK: .max_flat_workgroup_size: 1024
// CHECK: .name: parameters
// CHECK: .symbol: parameters.kd
// GFX9: .wavefront_size: 64
// GFX10: .wavefront_size: 32
typedef struct {
  int a;
  char b[5];
} S;
kernel void parameters(char c, float3 v, S s, global float *out) { out[0] = c + v.z + s.b[get_global_id(0)]; }

// CHECK: .group_segment_fixed_size: 256
// CHECK: .max_flat_workgroup_size: 64
// CHECK: .name: tile
// CHECK: .private_segment_fixed_size: 0
__attribute__((reqd_work_group_size(64, 1, 1))) kernel void tile(global int *out) {
  local int tile[64];
  size_t i = get_local_id(0);
  tile[i] = out[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = tile[63 - i];
}
// CHECK: amdhsa.target: amdgcn-amd-amdhsa--[[NAME]]
