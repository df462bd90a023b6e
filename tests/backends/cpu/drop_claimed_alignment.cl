// backends/cpu/codegen/DropClaimedAlignment: what a pointer's type claims is dropped, what is known of an address stays.
// RUN: kiln-clc -cl-std=CL3.0 %s -o %t.spv
// RUN: kilnc --target=cpu:x86-64-v3 --emit=llvm %t.spv -o - | FileCheck %s
// RUN: kilnc --target=cpu:x86-64-v3 --emit=asm %t.spv -o - | FileCheck %s --check-prefix=VEX
// RUN: kilnc --target=cpu:x86-64-v2 --emit=asm %t.spv -o - | FileCheck %s --check-prefix=SSE

// CHECK-LABEL: define void @claimed.group
// CHECK: load <4 x float>, {{.*}}, align 1,
// CHECK: store <4 x float> {{.*}}, align 1,
// VEX-LABEL: claimed.group:
// VEX-NOT: vmovaps ({{.*}}), %xmm
// VEX: vmovups {{.*}}, %xmm0
// VEX-LABEL: known.group:
// SSE-LABEL: claimed.group:
// SSE-NOT: addps (
// SSE: movups
kernel void claimed(global float4 *a, global const float4 *b, uint n) {
  size_t i = get_global_id(0) * n;
  a[i] += b[i];
}

// Local memory is Kiln's.
// CHECK-LABEL: define void @known.group
// CHECK-SAME: ptr noalias {{.*}}align 128 {{.*}}%4
// CHECK: load <4 x float>, {{.*}}, align 16
// SSE-LABEL: known.group:
// SSE: movaps {{.*}}(%r{{.*}}), %xmm
kernel void known(global float4 *out, uint n) {
  local float4 shared[64];
  shared[get_local_id(0)] = (float4)(get_local_id(0));
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0) * n] = shared[63 - get_local_id(0)] + shared[5];
}

// An atomic access needs its alignment: at an unknown address LLVM would call a function.
// CHECK-LABEL: define void @atomic.group
// CHECK: atomicrmw add ptr {{.*}} align 4
// CHECK: load atomic i64, {{.*}} align 8
kernel void atomic(global int *a, global atomic_long *b) {
  atomic_add(a, 1);
  a[get_global_id(0) + 1] = (int)atomic_load_explicit(b, memory_order_relaxed);
}

// x86 has nontemporal vector stores at aligned addresses only.
// VEX-LABEL: nontemporal.group:
// VEX-NOT: vmovntps
// VEX: movnti
kernel void nontemporal(global float4 *a, global const float4 *b, uint n) {
  __builtin_nontemporal_store(b[get_global_id(0) * n], &a[get_global_id(0) * n]);
}
