// RUN: kiln-opt %s --ocl-expand-async-copies | FileCheck %s

// The stride applies to the global side; local memory is dense.
// CHECK-LABEL: @to_local
// CHECK: ocl.linear_query local_linear_id
// CHECK: cf.br ^[[LOOP:.*]](
// CHECK: ^[[LOOP]](%[[I:.*]]: i64):
// CHECK: %[[S:.*]] = arith.muli %[[I]], %{{.*}}
// CHECK: llvm.getelementptr %{{.*}}[%[[S]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
// CHECK: llvm.getelementptr %{{.*}}[%[[I]]] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
// CHECK-NOT: ocl.async_copy
func.func @to_local(%to: !llvm.ptr<3>, %from: !llvm.ptr<1>, %count: i64, %stride: i64) {
  ocl.async_copy %to, %from, %count, %stride f32 : !llvm.ptr<3>, !llvm.ptr<1>
  ocl.barrier work_group "local|global"
  return
}
