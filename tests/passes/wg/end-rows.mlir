// passes/wg/EndRows, and passes/analysis/SameForAll at the end.
// RUN: kiln-opt %s --wg-end-rows | FileCheck %s

// Work-items from the limit on have no work: the row ends at the first of them.
// CHECK-LABEL: func.func @tree
// CHECK: %[[IS:.*]] = arith.cmpi slt
// CHECK: scf.if
// CHECK: wg.yield done %true more %[[IS]]
func.func @tree(%p: !llvm.ptr<3>, %d: i32) attributes {ocl.kernel} {
  wg.parallel {
    %zero = arith.constant 0 : i32
    %l = ocl.query local_id[%zero] : i64
    %i = arith.trunci %l : i64 to i32
    %is = arith.cmpi slt, %i, %d : i32
    scf.if %is {
      %q = llvm.getelementptr %p[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      llvm.store %i, %q : i32, !llvm.ptr<3>
    }
    wg.yield
  }
  return
}

// The limit is below the first work-items with work, or a number that may wrap around.
// CHECK-LABEL: func.func @others
// CHECK: wg.yield{{$}}
// CHECK: wg.yield{{$}}
func.func @others(%p: !llvm.ptr<3>, %d: i32) attributes {ocl.kernel} {
  wg.parallel {
    %zero = arith.constant 0 : i32
    %l = ocl.query local_id[%zero] : i64
    %i = arith.trunci %l : i64 to i32
    %is = arith.cmpi sge, %i, %d : i32
    scf.if %is {
      llvm.store %i, %p : i32, !llvm.ptr<3>
    }
    wg.yield
  }
  wg.parallel {
    %zero = arith.constant 0 : i32
    %l = ocl.query local_id[%zero] : i64
    %i = arith.trunci %l : i64 to i32
    %s = arith.addi %i, %d : i32
    %is = arith.cmpi slt, %s, %zero : i32
    scf.if %is {
      llvm.store %i, %p : i32, !llvm.ptr<3>
    }
    wg.yield
  }
  return
}

// Work after the branch.
// CHECK-LABEL: func.func @more_work
// CHECK: wg.yield{{$}}
func.func @more_work(%p: !llvm.ptr<3>, %q: !llvm.ptr<1>, %d: i32) attributes {ocl.kernel} {
  wg.parallel {
    %zero = arith.constant 0 : i32
    %l = ocl.query local_id[%zero] : i64
    %i = arith.trunci %l : i64 to i32
    %is = arith.cmpi slt, %i, %d : i32
    scf.if %is {
      llvm.store %i, %p : i32, !llvm.ptr<3>
    }
    %e = llvm.getelementptr %q[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    llvm.store %i, %e : i32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// Every work-item stores the same numbers to the same places: one does it. Not if it stores its id, or adds to what is
// there by an atomic.
// CHECK-LABEL: func.func @same
// CHECK: %[[NO:.*]] = arith.constant false
// CHECK: wg.yield done %true more %[[NO]]
// CHECK: ocl.atomic_rmw
// CHECK: wg.yield{{$}}
func.func @same(%p: !llvm.ptr<3>, %n: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  wg.parallel {
    %r = scf.while (%i = %zero) : (i32) -> i32 {
      %more = arith.cmpi slt, %i, %n : i32
      scf.condition(%more) %i : i32
    } do {
    ^bb0(%i: i32):
      %q = llvm.getelementptr %p[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      llvm.store %zero, %q : i32, !llvm.ptr<3>
      %next = arith.addi %i, %one : i32
      scf.yield %next : i32
    }
    wg.yield
  }
  wg.parallel {
    %old = ocl.atomic_rmw add %p, %one relaxed work_group : !llvm.ptr<3>, i32
    llvm.store %zero, %p : i32, !llvm.ptr<3>
    wg.yield
  }
  return
}
