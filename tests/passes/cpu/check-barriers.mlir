// RUN: kiln-opt %s --ocl-to-wg=check-barriers | FileCheck %s
// RUN: kiln-opt %s --ocl-to-wg | FileCheck %s --check-prefix=OFF
// OFF-NOT: ocl.check_launch

// Before the rest of the branch, work-items that are not in its mask are reported.
// CHECK: llvm.mlir.global internal constant @kiln.check.0("{{.*}}\FF\FF\03\00
// CHECK-LABEL: func.func @varying
// CHECK: %[[ANY:.*]] = wg.any %[[MASK:.*]] :
// CHECK: scf.if %[[ANY]]
// CHECK: wg.parallel {
// CHECK:   %[[REACHES:.*]] = wg.load %[[MASK]]
// CHECK:   %[[MISSING:.*]] = arith.xori %[[REACHES]]
// CHECK:   scf.if %[[MISSING]]
// CHECK:     ocl.query global_id
// CHECK:     ocl.check_launch
// CHECK:     llvm.call
func.func @varying(%n: i64, %p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %i = ocl.query local_id[%zero] : i64
  %c = arith.cmpi ult, %i, %n : i64
  scf.if %c {
    ocl.barrier work_group local
    llvm.store %i, %p : i64, !llvm.ptr<1>
  }
  return
}

// All work-items of a group take the same side.
// CHECK-LABEL: func.func @uniform
// CHECK-NOT: ocl.check_launch
func.func @uniform(%n: i64, %p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %i = ocl.query group_id[%zero] : i64
  %c = arith.cmpi ult, %i, %n : i64
  scf.if %c {
    ocl.barrier work_group local
    llvm.store %i, %p : i64, !llvm.ptr<1>
  }
  return
}
