// RUN: kiln-opt %s --ocl-to-wg | FileCheck %s

// The code calls the runtime when a group begins and ends, and at its barriers.
// CHECK-LABEL: func.func @barrier
// CHECK: ocl.query group_id
// CHECK: ocl.check_launch
// CHECK: llvm.call
// CHECK: wg.parallel
// CHECK: %[[LOCAL:.*]] = arith.constant 32 : i64
// CHECK: ocl.check_launch
// CHECK: llvm.call %{{.*}}(%{{.*}}, %[[LOCAL]])
// CHECK: wg.parallel
// CHECK: ocl.check_launch
// CHECK: llvm.call
// CHECK: return
func.func @barrier(%p: !llvm.ptr<1>) attributes {ocl.kernel, ocl.tracked} {
  %zero = arith.constant 0 : i32
  %i = ocl.query local_id[%zero] : i64
  llvm.store %i, %p : i64, !llvm.ptr<1>
  ocl.barrier work_group local
  llvm.store %i, %p : i64, !llvm.ptr<1>
  return
}

// CHECK-LABEL: func.func @other
// CHECK-NOT: ocl.check_launch
func.func @other(%p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %i = ocl.query local_id[%zero] : i64
  ocl.barrier work_group local
  llvm.store %i, %p : i64, !llvm.ptr<1>
  return
}
