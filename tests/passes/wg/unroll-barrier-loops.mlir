// RUN: kiln-opt %s --ocl-set-target=local-size=8,1,1 --wg-unroll-barrier-loops | FileCheck %s
// RUN: kiln-opt %s --wg-unroll-barrier-loops | FileCheck %s --check-prefix=ANY

// A tree reduction in local memory: its three levels, with their widths. Without a fixed local size it stays a loop.
// ANY-LABEL: func.func @tree
// ANY: scf.while
// CHECK-LABEL: func.func @tree
// CHECK-NOT: scf.while
// CHECK: wg.parallel
// CHECK: arith.cmpi ult, %{{.*}}, %c4_i64
// CHECK: wg.parallel
// CHECK: arith.cmpi ult, %{{.*}}, %c2_i64
// CHECK: wg.parallel
// CHECK: arith.cmpi ult, %{{.*}}, %c1_i64
// CHECK-NOT: wg.parallel
// CHECK: return
func.func @tree(%a: !llvm.ptr<3>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %none = arith.constant 0 : i64
  %two = arith.constant 2 : i64
  %size = ocl.query local_size[%zero] : i64
  %half = arith.divui %size, %two : i64
  %end = scf.while (%width = %half) : (i64) -> i64 {
    %more = arith.cmpi ugt, %width, %none : i64
    scf.condition(%more) %width : i64
  } do {
  ^bb0(%width: i64):
    wg.parallel {
      %i = ocl.query local_id[%zero] : i64
      %is = arith.cmpi ult, %i, %width : i64
      scf.if %is {
        %p = llvm.getelementptr %a[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i64
        llvm.store %width, %p : i64, !llvm.ptr<3>
      }
      wg.yield
    }
    %next = arith.divui %width, %two : i64
    scf.yield %next : i64
  }
  return
}

// The trip count depends on an argument.
// CHECK-LABEL: func.func @until
// CHECK: scf.while
// CHECK: return
func.func @until(%a: !llvm.ptr<1>, %n: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %end = scf.while (%k = %one) : (i64) -> i64 {
    %more = arith.cmpi ult, %k, %n : i64
    scf.condition(%more) %k : i64
  } do {
  ^bb0(%k: i64):
    wg.parallel {
      %i = ocl.query local_id[%zero] : i64
      %p = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i64
      llvm.store %k, %p : i64, !llvm.ptr<1>
      wg.yield
    }
    %next = arith.addi %k, %one : i64
    scf.yield %next : i64
  }
  return
}

// At most sixteen iterations; the evaluation of an infinite loop ends there.
// CHECK-LABEL: func.func @forever
// CHECK: scf.while
// CHECK: return
func.func @forever(%a: !llvm.ptr<1>) attributes {ocl.kernel} {
  %one = arith.constant 1 : i64
  %yes = arith.constant true
  %end = scf.while (%k = %one) : (i64) -> i64 {
    scf.condition(%yes) %k : i64
  } do {
  ^bb0(%k: i64):
    wg.parallel {
      wg.yield
    }
    scf.yield %k : i64
  }
  return
}
