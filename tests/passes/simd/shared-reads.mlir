// RUN: kiln-opt %s %cpu_8 --wg-vectorize=max-interleave=1 | FileCheck %s

// The lanes of a vector are in one sub-group of 16 if a check passes: then they read one element of the slot.
// CHECK-LABEL: func.func @broadcast
// CHECK: lanes 8
// CHECK: arith.divui
// CHECK: scf.if
// CHECK-COUNT-1: wg.read
// CHECK-NOT: wg.read
// CHECK: vector<8xf32>
// CHECK: wg.yield
func.func @broadcast(%p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %s = wg.slot : !wg.slot<f32>
  wg.parallel {
    %l = ocl.linear_query local_linear_id : i64
    %q = llvm.getelementptr %p[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %x = llvm.load %q : !llvm.ptr<1> -> f32
    wg.store %x, %s : !wg.slot<f32>
    wg.yield
  }
  wg.parallel {
    %three = arith.constant 3 : i64
    %size = arith.constant 16 : i64
    %l = ocl.linear_query local_linear_id : i64
    %g = arith.divui %l, %size : i64
    %f = arith.muli %g, %size : i64
    %i = arith.addi %f, %three : i64
    %v = wg.read %s[%i] : !wg.slot<f32>
    %q = llvm.getelementptr %p[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %x = llvm.load %q : !llvm.ptr<1> -> f32
    %y = arith.mulf %x, %v : f32
    llvm.store %y, %q : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}
