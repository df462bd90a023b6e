// RUN: kiln-opt %s --ocl-set-target=target=nvptx,sub_group_size=32 --gpu-check-barriers | FileCheck %s --check-prefixes=CHECK,NV
// RUN: kiln-opt %s --ocl-set-target=target=amdgpu,sub_group_size=64 --gpu-check-barriers | FileCheck %s --check-prefixes=CHECK,AMD

// The group's memory is prepared first; the fences are those of the barrier. Each barrier has another site.
// CHECK-LABEL: func.func @kernel
// CHECK-SAME: ocl.check_sites = ["{{.*}}", "{{.*}}"]
// CHECK: %[[ARRIVALS:.*]] = llvm.mlir.addressof @kiln.check_arrivals
// CHECK: %[[ITEM:.*]] = ocl.linear_query local_linear_id : i32
// CHECK: ocl.start_arrivals %[[ARRIVALS]] item %[[ITEM]]
// CHECK: ocl.fence release device "local|global"
// NV: %[[FREE:.*]] = arith.constant true
// AMD: %[[FREE:.*]] = arith.constant false
// CHECK: %[[FIRST:.*]] = arith.constant 0 : i32
// CHECK: ocl.check_barrier %{{.*}}, %{{.*}} free %[[FREE]] site %[[FIRST]] item %{{.*}}
// CHECK: ocl.fence acquire device "local|global"
// CHECK: ocl.barrier sub_group local
// CHECK: ocl.fence release work_group local
// CHECK: ocl.check_launch
// CHECK: %[[SECOND:.*]] = arith.constant 1 : i32
// CHECK-NEXT: ocl.check_barrier %{{.*}}, %{{.*}} free %{{.*}} site %[[SECOND]] item %{{.*}}
// CHECK-NOT: ocl.barrier
// NV: ocl.end_arrivals
// AMD-NOT: ocl.end_arrivals
// CHECK: return
func.func @kernel() attributes {ocl.kernel} {
  ocl.barrier work_group "local|global" device
  ocl.barrier sub_group local
  ocl.barrier work_group local
  return
}

// CHECK-LABEL: func.func @without
// CHECK-NEXT: return
func.func @without() attributes {ocl.kernel} {
  return
}

// CHECK-LABEL: func.func @block
// CHECK-NEXT: ocl.barrier work_group local
func.func @block() attributes {ocl.kernel, ocl.block = 0} {
  ocl.barrier work_group local
  return
}

// CHECK: llvm.mlir.global internal @kiln.check_arrivals() {addr_space = 3 : i32, alignment = 4 : i64} : !llvm.array<396 x i8>
