// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(ocl-promote-arrays))' | FileCheck %s

// Accumulators that a loop around a barrier carries. The loops over the array are unrolled, and each element is a value
// (PromoteArrays, with LoopCounter and PromoteStructured).
// CHECK-LABEL: func.func @accumulators
// CHECK-NOT: llvm.alloca
// CHECK: %[[SUMS:.*]]:3 = scf.while ({{.*}}, %[[X0:.*]] = %cst, %[[X1:.*]] = %cst) : (i32, f32, f32) -> (i32, f32, f32)
// CHECK: scf.condition(%{{.*}}) {{.*}}%[[X0]], %[[X1]]
// CHECK: ocl.barrier
// CHECK: %[[Y0:.*]] = arith.addf %{{.*}}, %arg1
// CHECK: %[[Y1:.*]] = arith.addf %{{.*}}, %arg1
// CHECK: scf.yield %{{.*}}, %[[Y0]], %[[Y1]]
// CHECK-NOT: scf.while
// CHECK: llvm.store %[[SUMS]]#1, %arg0
// CHECK: %[[NEXT:.*]] = llvm.getelementptr %arg0[1]
// CHECK: llvm.store %[[SUMS]]#2, %[[NEXT]]
func.func @accumulators(%p: !llvm.ptr<1>, %x: f32, %n: i32) attributes {ocl.kernel} {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %none = arith.constant 0.0 : f32
  %a = llvm.alloca %one x !llvm.array<2 x f32> : (i32) -> !llvm.ptr
  scf.while (%i = %zero) : (i32) -> i32 {
    %c = arith.cmpi slt, %i, %two : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %w = arith.extsi %i : i32 to i64
    %e = llvm.getelementptr %a[0, %w] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<2 x f32>
    llvm.store %none, %e : f32, !llvm.ptr
    %next = arith.addi %i, %one : i32
    scf.yield %next : i32
  }
  scf.while (%k = %zero) : (i32) -> i32 {
    %c = arith.cmpi slt, %k, %n : i32
    scf.condition(%c) %k : i32
  } do {
  ^bb0(%k: i32):
    ocl.barrier work_group local
    scf.while (%i = %zero) : (i32) -> i32 {
      %c = arith.cmpi slt, %i, %two : i32
      scf.condition(%c) %i : i32
    } do {
    ^bb0(%i: i32):
      %w = arith.extsi %i : i32 to i64
      %e = llvm.getelementptr %a[0, %w] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<2 x f32>
      %v = llvm.load %e : !llvm.ptr -> f32
      %s = arith.addf %v, %x : f32
      llvm.store %s, %e : f32, !llvm.ptr
      %next = arith.addi %i, %one : i32
      scf.yield %next : i32
    }
    %next = arith.addi %k, %one : i32
    scf.yield %next : i32
  }
  scf.while (%i = %zero) : (i32) -> i32 {
    %c = arith.cmpi slt, %i, %two : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %w = arith.extsi %i : i32 to i64
    %e = llvm.getelementptr %a[0, %w] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<2 x f32>
    %v = llvm.load %e : !llvm.ptr -> f32
    %q = llvm.getelementptr %p[%w] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %v, %q : f32, !llvm.ptr<1>
    %next = arith.addi %i, %one : i32
    scf.yield %next : i32
  }
  return
}

// An array that each iteration overwrites is not carried. A store under a condition selects.
// CHECK-LABEL: func.func @overwritten
// CHECK-NOT: llvm.alloca
// CHECK: scf.while (%[[K:.*]] = %{{.*}}) : (i32) -> i32
// CHECK: %[[V:.*]] = arith.select %arg2, %arg1, %{{.*}} : f32
// CHECK: llvm.store %[[V]], %arg0
// CHECK: llvm.store %[[V]], %arg0
func.func @overwritten(%p: !llvm.ptr<1>, %x: f32, %b: i1, %n: i32) attributes {ocl.kernel} {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %none = arith.constant 0.0 : f32
  %a = llvm.alloca %one x !llvm.array<2 x f32> : (i32) -> !llvm.ptr
  scf.while (%k = %zero) : (i32) -> i32 {
    %c = arith.cmpi slt, %k, %n : i32
    scf.condition(%c) %k : i32
  } do {
  ^bb0(%k: i32):
    scf.while (%i = %zero) : (i32) -> i32 {
      %c = arith.cmpi slt, %i, %two : i32
      scf.condition(%c) %i : i32
    } do {
    ^bb0(%i: i32):
      %e = llvm.getelementptr %a[0, %i] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.array<2 x f32>
      llvm.store %none, %e : f32, !llvm.ptr
      scf.if %b {
        llvm.store %x, %e : f32, !llvm.ptr
      }
      %v = llvm.load %e : !llvm.ptr -> f32
      llvm.store %v, %p : f32, !llvm.ptr<1>
      %next = arith.addi %i, %one : i32
      scf.yield %next : i32
    }
    %next = arith.addi %k, %one : i32
    scf.yield %next : i32
  }
  return
}

// An index that is not a constant in each iteration: the array stays in memory, and the loop stays a loop.
// CHECK-LABEL: func.func @dynamic
// CHECK: llvm.alloca
// CHECK: scf.while
func.func @dynamic(%x: f32, %d: i32) attributes {ocl.kernel} {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %a = llvm.alloca %one x !llvm.array<2 x f32> : (i32) -> !llvm.ptr
  scf.while (%i = %zero) : (i32) -> i32 {
    %c = arith.cmpi slt, %i, %two : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %j = arith.andi %d, %i : i32
    %e = llvm.getelementptr %a[0, %j] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.array<2 x f32>
    llvm.store %x, %e : f32, !llvm.ptr
    %next = arith.addi %i, %one : i32
    scf.yield %next : i32
  }
  return
}

// A loop that forwards the address of an element to later code: the address is the same in all iterations.
// CHECK-LABEL: func.func @forwarded_address
// CHECK-NOT: llvm.alloca
// CHECK: %[[R:.*]]:2 = scf.while (%{{.*}} = %{{.*}}, %[[S:.*]] = %{{.*}}) : (i32, f32) -> (i32, f32)
// CHECK: ocl.barrier
// CHECK: arith.addf %[[S]]
// CHECK: llvm.store %[[R]]#1, %arg0
func.func @forwarded_address(%out: !llvm.ptr<1>, %n: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %f = arith.constant 1.0 : f32
  %a = llvm.alloca %one x !llvm.array<4 x f32> : (i32) -> !llvm.ptr
  %first = llvm.getelementptr %a[0, 2] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<4 x f32>
  llvm.store %f, %first {alignment = 4 : i64} : f32, !llvm.ptr
  %end:2 = scf.while (%k = %zero) : (i32) -> (i32, !llvm.ptr) {
    ocl.barrier work_group local
    %e = llvm.getelementptr %a[0, 2] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<4 x f32>
    %v = llvm.load %e {alignment = 4 : i64} : !llvm.ptr -> f32
    %w = arith.addf %v, %f : f32
    llvm.store %w, %e {alignment = 4 : i64} : f32, !llvm.ptr
    %more = arith.cmpi slt, %k, %n : i32
    scf.condition(%more) %k, %e : i32, !llvm.ptr
  } do {
  ^bb0(%k: i32, %e: !llvm.ptr):
    %next = arith.addi %k, %one : i32
    scf.yield %next : i32
  }
  %last = llvm.load %end#1 {alignment = 4 : i64} : !llvm.ptr -> f32
  llvm.store %last, %out {alignment = 4 : i64} : f32, !llvm.ptr<1>
  return
}

llvm.mlir.global internal constant @order(dense<[1, 0]> : tensor<2xi32>) {addr_space = 2 : i32} : !llvm.array<2 x i32>

// Elements that are short vectors, and an index that is the element of a constant array.
// CHECK-LABEL: func.func @reordered
// CHECK-NOT: llvm.alloca
// CHECK: %[[A:.*]] = llvm.load %arg0 : !llvm.ptr<1> -> vector<2xf32>
// CHECK: %[[NEXT:.*]] = llvm.getelementptr %arg0[1]
// CHECK: %[[B:.*]] = llvm.load %[[NEXT]] : !llvm.ptr<1> -> vector<2xf32>
// CHECK: ocl.barrier
// CHECK: %[[B1:.*]] = vector.insert %arg1, %[[B]] [1]
// CHECK: llvm.store %[[B1]], %arg0
// CHECK: %[[A1:.*]] = vector.insert %arg1, %[[A]] [1]
// CHECK: llvm.store %[[A1]], %[[NEXT]]
func.func @reordered(%p: !llvm.ptr<1>, %x: f32) attributes {ocl.kernel} {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %order = llvm.mlir.addressof @order : !llvm.ptr<2>
  %a = llvm.alloca %one x !llvm.array<2 x vector<2xf32>> : (i32) -> !llvm.ptr
  scf.while (%i = %zero) : (i32) -> i32 {
    %c = arith.cmpi slt, %i, %two : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %w = arith.extsi %i : i32 to i64
    %q = llvm.getelementptr %p[%w] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<2xf32>
    %v = llvm.load %q : !llvm.ptr<1> -> vector<2xf32>
    %e = llvm.getelementptr %a[0, %w] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<2 x vector<2xf32>>
    llvm.store %v, %e : vector<2xf32>, !llvm.ptr
    %next = arith.addi %i, %one : i32
    scf.yield %next : i32
  }
  ocl.barrier work_group local
  scf.while (%i = %zero) : (i32) -> i32 {
    %c = arith.cmpi slt, %i, %two : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %w = arith.extsi %i : i32 to i64
    %o = llvm.getelementptr %order[0, %w] : (!llvm.ptr<2>, i64) -> !llvm.ptr<2>, !llvm.array<2 x i32>
    %from = llvm.load %o {alignment = 4 : i64} : !llvm.ptr<2> -> i32
    %f = arith.extsi %from : i32 to i64
    %e = llvm.getelementptr %a[0, %f] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<2 x vector<2xf32>>
    %old = llvm.load %e : !llvm.ptr -> vector<2xf32>
    %new = vector.insert %x, %old [1] : f32 into vector<2xf32>
    llvm.store %new, %e : vector<2xf32>, !llvm.ptr
    %q = llvm.getelementptr %p[%w] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<2xf32>
    llvm.store %new, %q : vector<2xf32>, !llvm.ptr<1>
    %next = arith.addi %i, %one : i32
    scf.yield %next : i32
  }
  return
}

llvm.mlir.global internal @changing(dense<[1, 0]> : tensor<2xi32>) {addr_space = 1 : i32} : !llvm.array<2 x i32>

// The elements of an array that is no constant may be anything.
// CHECK-LABEL: func.func @reordered_by_variable
// CHECK: llvm.alloca
// CHECK: scf.while
func.func @reordered_by_variable(%p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %order = llvm.mlir.addressof @changing : !llvm.ptr<1>
  %a = llvm.alloca %one x !llvm.array<2 x f32> : (i32) -> !llvm.ptr
  scf.while (%i = %zero) : (i32) -> i32 {
    %c = arith.cmpi slt, %i, %two : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    %w = arith.extsi %i : i32 to i64
    %o = llvm.getelementptr %order[0, %w] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, !llvm.array<2 x i32>
    %from = llvm.load %o {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %f = arith.extsi %from : i32 to i64
    %e = llvm.getelementptr %a[0, %f] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<2 x f32>
    %v = llvm.load %e : !llvm.ptr -> f32
    llvm.store %v, %p : f32, !llvm.ptr<1>
    %next = arith.addi %i, %one : i32
    scf.yield %next : i32
  }
  ocl.barrier work_group local
  return
}
