// RUN: kiln-opt %s %cpu_8 --wg-vectorize | FileCheck %s

// Each work-item reads its own row: eight columns per iteration, loaded as a group. An interleave count of two, as the
// sum is a dependence chain.
// CHECK-LABEL: func.func @reads_own_row
// CHECK: lanes 16
// CHECK: scf.while
// CHECK: arith.cmpi ugt
// CHECK-COUNT-16: llvm.load {{.*}} -> vector<8xf32>
// CHECK: llvm.shufflevector
// CHECK-COUNT-8: arith.addf {{.*}} : vector<16xf32>
// CHECK: scf.while
func.func @reads_own_row(%a: !llvm.ptr<1>, %n: i64, %b: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %nothing = arith.constant 0.0 : f32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %row = arith.muli %g, %n : i64
    %sum:2 = scf.while (%k = %none, %s = %nothing) : (i64, f32) -> (i64, f32) {
      %more = arith.cmpi slt, %k, %n : i64
      scf.condition(%more) %k, %s : i64, f32
    } do {
    ^bb0(%k: i64, %s: f32):
      %i = arith.addi %row, %k : i64
      %p = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
      %t = arith.addf %s, %v : f32
      %next = arith.addi %k, %one : i64
      scf.yield %next, %t : i64, f32
    }
    %q = llvm.getelementptr %b[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %sum#1, %q {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// All work-items read columns of the same row: nothing to group, so no unrolling.
// CHECK-LABEL: func.func @reads_shared_row
// CHECK: lanes
// CHECK: scf.while
// CHECK-NOT: arith.cmpi ugt
// CHECK-NOT: scf.while
// CHECK: return
func.func @reads_shared_row(%a: !llvm.ptr<1>, %n: i64, %b: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %q = llvm.getelementptr %b[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %first = llvm.load %q {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %sum:2 = scf.while (%k = %none, %s = %first) : (i64, f32) -> (i64, f32) {
      %more = arith.cmpi slt, %k, %n : i64
      scf.condition(%more) %k, %s : i64, f32
    } do {
    ^bb0(%k: i64, %s: f32):
      %p = llvm.getelementptr %a[%k] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
      %t = arith.addf %s, %v : f32
      %next = arith.addi %k, %one : i64
      scf.yield %next, %t : i64, f32
    }
    llvm.store %sum#1, %q {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}
