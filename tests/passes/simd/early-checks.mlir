// passes/simd/decide/EarlyChecks: checks before the first side effect, on which loops rest.
// RUN: kiln-opt %s %cpu_8 --wg-vectorize=max-interleave=1 | FileCheck %s
// RUN: kiln-opt %s %cpu_8 --wg-vectorize="max-interleave=1 skip-checks=one-side" | FileCheck %s --check-prefix=SKIP

// A clamped window of each work-item: one loop for all lanes, if no lane of the vector is at a border. Then its loads
// are consecutive. Other vectors run the body with masks.
// CHECK-LABEL: func.func @window
// CHECK: lanes 8
// CHECK: %[[LOW:.*]] = arith.maxsi %[[FIRST:.*]], %{{.*}} : i32
// CHECK: arith.cmpi sge, %[[FIRST]], %{{.*}} : i32
// CHECK: scf.if %{{.*}} -> (i1, i1) {
// CHECK: %[[HIGH:.*]] = arith.minsi
// CHECK: arith.cmpi sle
// CHECK: scf.if %{{.*}} -> (i1, i1) {
// CHECK: scf.while (%[[I:.*]] = %[[LOW]], {{.*}} : (i32, vector<8xf32>)
// CHECK: arith.cmpi sle, %[[I]], %[[HIGH]] : i32
// CHECK: llvm.load {{.*}} -> vector<8xf32>
// CHECK: scf.if %{{.*}} -> (i1, i1) {
// CHECK: scf.while {{.*}}vector<8xi32>
// CHECK: wg.yield
// SKIP-LABEL: func.func @window
// SKIP: lanes 8
// SKIP-NOT: arith.cmpi sge
// SKIP: scf.while {{.*}} : (i32, vector<8xf32>)
func.func @window(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>, %radius: i32, %last: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant 0.0 : f32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %x = arith.trunci %g : i64 to i32
    %before = arith.subi %x, %radius : i32
    %low = arith.maxsi %before, %zero : i32
    %after = arith.addi %x, %radius : i32
    %high = arith.minsi %after, %last : i32
    %r:2 = scf.while (%i = %low, %sum = %none) : (i32, f32) -> (i32, f32) {
      %more = arith.cmpi sle, %i, %high : i32
      scf.condition(%more) %i, %sum : i32, f32
    } do {
    ^bb0(%i: i32, %sum: f32):
      %w = arith.extsi %i : i32 to i64
      %p = llvm.getelementptr %in[%w] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
      %new = arith.addf %sum, %v : f32
      %next = arith.addi %i, %one : i32
      scf.yield %next, %new : i32, f32
    }
    %q = llvm.getelementptr %out[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %r#1, %q {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// No address and no condition depends on the clamp, so nothing is checked.
// CHECK-LABEL: func.func @value
// CHECK: lanes 8
// CHECK-NOT: -> (i1, i1)
// CHECK: arith.minsi {{.*}} : vector<8xi32>
// CHECK: wg.yield
func.func @value(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>, %last: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %l = ocl.query local_id[%zero] : i64
    %x = arith.trunci %l : i64 to i32
    %high = arith.minsi %x, %last : i32
    %q = llvm.getelementptr %out[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    llvm.store %high, %q {alignment = 4 : i64} : i32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// After a store no vector can fall back: the load has its own check.
// CHECK-LABEL: func.func @after_store
// CHECK: lanes 8
// CHECK: llvm.store
// CHECK-NOT: -> (i1, i1)
// CHECK: scf.while {{.*}}vector<8xi32>
func.func @after_store(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>, %radius: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %q = llvm.getelementptr %out[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    llvm.store %one, %q {alignment = 4 : i64} : i32, !llvm.ptr<1>
    %x = arith.trunci %g : i64 to i32
    %before = arith.subi %x, %radius : i32
    %low = arith.maxsi %before, %zero : i32
    %r:2 = scf.while (%i = %low, %sum = %zero) : (i32, i32) -> (i32, i32) {
      %more = arith.cmpi sle, %i, %x : i32
      scf.condition(%more) %i, %sum : i32, i32
    } do {
    ^bb0(%i: i32, %sum: i32):
      %w = arith.extsi %i : i32 to i64
      %p = llvm.getelementptr %in[%w] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
      %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> i32
      %new = arith.addi %sum, %v : i32
      %next = arith.addi %i, %one : i32
      scf.yield %next, %new : i32, i32
    }
    llvm.store %r#1, %q {alignment = 4 : i64} : i32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// A branch that chooses between integers becomes a select, which is a clamp: one load for all lanes' neighbours.
// CHECK-LABEL: func.func @branch
// CHECK: lanes 8
// CHECK: arith.select {{.*}} : i32
// CHECK: scf.if %{{.*}} -> (i1, i1) {
// CHECK: llvm.load {{.*}} -> vector<8xf32>
func.func @branch(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>, %radius: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %x = arith.trunci %g : i64 to i32
    %isLeft = arith.cmpi ult, %x, %radius : i32
    %i = scf.if %isLeft -> i32 {
      scf.yield %zero : i32
    } else {
      %d = arith.subi %x, %radius : i32
      scf.yield %d : i32
    }
    %w = arith.extui %i : i32 to i64
    %p = llvm.getelementptr %in[%w] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %q = llvm.getelementptr %out[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %v, %q {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// The bound of a loop is computed before it.
// CHECK-LABEL: func.func @bound_in_condition
// CHECK: lanes 8
// CHECK: arith.minsi {{.*}} : i32
// CHECK: scf.if %{{.*}} -> (i1, i1) {
// CHECK: scf.while {{.*}} : (i32, vector<8xi32>)
// CHECK-NOT: arith.minsi
// CHECK: llvm.load {{.*}} -> vector<8xi32>
func.func @bound_in_condition(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>, %last: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %nine = arith.constant 9 : i32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %x = arith.trunci %g : i64 to i32
    %r:2 = scf.while (%i = %x, %sum = %zero) : (i32, i32) -> (i32, i32) {
      %after = arith.addi %x, %nine : i32
      %high = arith.minsi %after, %last : i32
      %more = arith.cmpi sle, %i, %high : i32
      scf.condition(%more) %i, %sum : i32, i32
    } do {
    ^bb0(%i: i32, %sum: i32):
      %w = arith.extsi %i : i32 to i64
      %p = llvm.getelementptr %in[%w] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
      %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> i32
      %new = arith.addi %sum, %v : i32
      %next = arith.addi %i, %one : i32
      scf.yield %next, %new : i32, i32
    }
    %q = llvm.getelementptr %out[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    llvm.store %r#1, %q {alignment = 4 : i64} : i32, !llvm.ptr<1>
    wg.yield
  }
  return
}
