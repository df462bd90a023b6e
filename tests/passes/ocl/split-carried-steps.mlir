// RUN: kiln-opt %s --ocl-split-carried-steps | FileCheck %s

// A pointer to each work-item's own column advances by a uniform step.
// CHECK-LABEL: func.func @pointer
// CHECK: %[[FIRST:.*]] = llvm.getelementptr %arg0[%{{.*}}]
// CHECK: scf.while (%[[OFFSET:.*]] = %c0_i64, %{{.*}} = %{{.*}}) : (i64, i32) -> (i64, i32) {
// CHECK: %[[POINTER:.*]] = llvm.getelementptr %[[FIRST]][%[[OFFSET]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
// CHECK: ocl.barrier
// CHECK: llvm.load %[[POINTER]]
// CHECK: %[[STEP:.*]] = arith.extsi %arg1 : i32 to i64
// CHECK: %[[NEXT:.*]] = arith.addi %[[OFFSET]], %[[STEP]] : i64
// CHECK: scf.condition(%{{.*}}) %[[NEXT]], %{{.*}} : i64, i32
// CHECK: ^bb0(%[[KEPT:.*]]: i64, %{{.*}}: i32):
// CHECK: %[[MORE:.*]] = arith.addi %[[KEPT]], %c8_i64 : i64
// CHECK: scf.yield %[[MORE]], %{{.*}} : i64, i32
func.func @pointer(%p: !llvm.ptr<1>, %step: i32, %n: i32) attributes {ocl.kernel} {
  %x = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %id = ocl.query local_id[%x] : i64
  %first = llvm.getelementptr %p[%id] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  scf.while (%q = %first, %i = %x) : (!llvm.ptr<1>, i32) -> (!llvm.ptr<1>, i32) {
    ocl.barrier work_group local
    %v = llvm.load %q : !llvm.ptr<1> -> f32
    llvm.store %v, %p : f32, !llvm.ptr<1>
    %next = llvm.getelementptr inbounds %q[%step] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %c = arith.cmpi slt, %i, %n : i32
    scf.condition(%c) %next, %i : !llvm.ptr<1>, i32
  } do {
  ^bb0(%q: !llvm.ptr<1>, %i: i32):
    %next = llvm.getelementptr inbounds %q[8] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
    %j = arith.addi %i, %one : i32
    scf.yield %next, %j : !llvm.ptr<1>, i32
  }
  return
}

// An index, with its value after the loop. The sum may wrap where the steps do not, so it has no flags.
// CHECK-LABEL: func.func @index
// CHECK: %[[LAST:.*]] = scf.while (%[[OFFSET:.*]] = %c0_i32{{.*}}) : (i32) -> i32 {
// CHECK: ^bb0(%[[KEPT:.*]]: i32):
// CHECK: %[[INDEX:.*]] = arith.addi %[[FIRST:.*]], %[[KEPT]] : i32
// CHECK: ocl.barrier
// CHECK: llvm.getelementptr %arg0[%[[INDEX]]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[KEPT]], %arg1 : i32
// CHECK: scf.yield %[[NEXT]] : i32
// CHECK: arith.addi %[[FIRST]], %[[LAST]] : i32
func.func @index(%p: !llvm.ptr<1>, %step: i32, %n: i1) attributes {ocl.kernel} {
  %x = arith.constant 0 : i32
  %id = ocl.query local_id[%x] : i64
  %first = arith.trunci %id : i64 to i32
  %last = scf.while (%i = %first) : (i32) -> i32 {
    scf.condition(%n) %i : i32
  } do {
  ^bb0(%i: i32):
    ocl.barrier work_group local
    %q = llvm.getelementptr %p[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %v = llvm.load %q : !llvm.ptr<1> -> f32
    llvm.store %v, %p : f32, !llvm.ptr<1>
    %next = arith.addi %i, %step overflow<nsw> : i32
    scf.yield %next : i32
  }
  llvm.store %last, %p : i32, !llvm.ptr<1>
  return
}

// A step that differs between work-items, and a uniform first value: nothing is gained.
// CHECK-LABEL: func.func @left
// CHECK: scf.while (%{{.*}} = %[[ID:.*]], %{{.*}} = %{{c0_i64.*}}) : (i64, i64) -> (i64, i64) {
// CHECK-NOT: arith.addi %[[ID]]
func.func @left(%p: !llvm.ptr<1>, %n: i1) attributes {ocl.kernel} {
  %x = arith.constant 0 : i32
  %zero = arith.constant 0 : i64
  %id = ocl.query local_id[%x] : i64
  scf.while (%i = %id, %j = %zero) : (i64, i64) -> (i64, i64) {
    ocl.barrier work_group local
    %ni = arith.addi %i, %id : i64
    %nj = arith.addi %j, %id : i64
    llvm.store %ni, %p : i64, !llvm.ptr<1>
    llvm.store %nj, %p : i64, !llvm.ptr<1>
    scf.condition(%n) %ni, %nj : i64, i64
  } do {
  ^bb0(%i: i64, %j: i64):
    scf.yield %i, %j : i64, i64
  }
  return
}

// Work-items may leave the loop at different times, so there is no barrier that all reach, and no offset of all.
// CHECK-LABEL: func.func @divergent
// CHECK: scf.while (%{{.*}} = %{{.*}}) : (i64) -> i64
// CHECK-NOT: arith.addi %{{.*}}, %{{.*}} : i64
// CHECK: arith.addi %{{.*}}, %c1_i64 : i64
func.func @divergent(%p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %x = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %ten = arith.constant 10 : i64
  %id = ocl.query local_id[%x] : i64
  scf.while (%i = %id) : (i64) -> i64 {
    ocl.barrier work_group local
    %c = arith.cmpi slt, %i, %ten : i64
    scf.condition(%c) %i : i64
  } do {
  ^bb0(%i: i64):
    %next = arith.addi %i, %one : i64
    llvm.store %next, %p : i64, !llvm.ptr<1>
    scf.yield %next : i64
  }
  return
}
