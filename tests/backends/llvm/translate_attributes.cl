// TranslateAttributes: the alignments of a copy and the memory that a fence orders are in LLVM IR.
// RUN: kilnc --target=amdgpu:gfx942 --emit=llvm %s -o - | FileCheck %s
// CHECK-LABEL: define amdgpu_kernel void @copy
// CHECK: call void @llvm.memcpy{{.*}} align 8 {{.*}} align 8 {{.*}}, i64 512,
// CHECK-LABEL: define amdgpu_kernel void @wait
// CHECK: fence syncscope("workgroup") release, !mmra ![[LOCAL:[0-9]+]]
// CHECK: fence syncscope("workgroup") acquire, !mmra ![[LOCAL]]
// CHECK: fence syncscope("workgroup") release, !mmra ![[GLOBAL:[0-9]+]]
// CHECK: ![[LOCAL]] = !{!"amdgpu-synchronize-as", !"local"}
// CHECK: ![[GLOBAL]] = !{!"amdgpu-synchronize-as", !"global"}
struct Row {
  long values[128];
};
kernel void copy(global const ulong *addresses) {
  *(global struct Row *)addresses[0] = *(global const struct Row *)addresses[1];
}

kernel void wait(global int *a, local int *b) {
  b[get_local_id(0)] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  a[get_global_id(0)] = b[get_local_id(0) ^ 1];
  barrier(CLK_GLOBAL_MEM_FENCE);
  a[get_global_id(0)] += a[get_global_id(0) ^ 1];
}
