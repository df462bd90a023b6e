// RUN: kiln-opt --gpu-make-child-executor %s | FileCheck %s

// Ids become the record's, and the last work-item's return goes on with the next work-item.
func.func @small.block(%c: !llvm.ptr {ocl.byval = !llvm.array<3 x i64>}) attributes {ocl.kernel, ocl.block = 0 : i64} {
  %c0 = arith.constant 0 : i32
  %1 = llvm.getelementptr %c[0, 2] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<3 x i64>
  %2 = llvm.load %1 : !llvm.ptr -> i64
  %3 = llvm.inttoptr %2 : i64 to !llvm.ptr<1>
  %i = ocl.query global_id[%c0] : i64
  llvm.store %i, %3 : i64, !llvm.ptr<1>
  return
}

// Left to the host: a barrier, local memory, a sub-group query, and a run-time dimension.
func.func @barrier.block() attributes {ocl.kernel, ocl.block = 1 : i64} {
  ocl.barrier work_group local
  return
}
func.func @local.block(%c: !llvm.ptr {ocl.byval = !llvm.array<2 x i64>}, %l: !llvm.ptr<3>) attributes {ocl.kernel, ocl.block = 2 : i64} {
  return
}
func.func @lanes.block(%c: !llvm.ptr {ocl.byval = !llvm.array<3 x i64>}) attributes {ocl.kernel, ocl.block = 3 : i64} {
  %n = ocl.linear_query sub_group_size : i32
  %1 = llvm.getelementptr %c[%n] : (!llvm.ptr, i32) -> !llvm.ptr, i32
  return
}

// CHECK-LABEL: func.func @kiln.run_children() attributes {ocl.block = 4 : i64, ocl.kernel = "kiln.run_children"}
// CHECK: %[[COPY:.*]] = llvm.alloca
// CHECK: ocl.enqueue_arena
// CHECK: ocl.linear_query sub_group_local_id
// CHECK: ocl.barrier work_group global device
// CHECK: llvm.load volatile
// CHECK: ocl.barrier work_group global device
// CHECK: cf.switch
// CHECK-NEXT: default:
// CHECK-NEXT: 0:
// CHECK-NEXT: ]
// CHECK: "llvm.intr.memcpy"(%[[COPY]]
// CHECK-NOT: ocl.query
// CHECK-NOT: ocl.barrier
// CHECK: llvm.store %{{.*}} : i64, !llvm.ptr<1>
// CHECK: arith.ori
// CHECK: llvm.store %{{.*}} : i32, !llvm.ptr<1>
