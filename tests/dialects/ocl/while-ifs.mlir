// dialects/ocl/WhileIfs
// RUN: kiln-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @body_in_condition
// CHECK: scf.while (%[[X:.*]] = %arg1) : (i32) -> i32 {
// CHECK-NEXT: %[[MORE:.*]] = arith.cmpi sgt, %[[X]]
// CHECK-NEXT: scf.condition(%[[MORE]]) %[[X]] : i32
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%[[Y:.*]]: i32):
// CHECK-NEXT: %[[HALF:.*]] = arith.divsi %[[Y]]
// CHECK-NEXT: llvm.store %[[HALF]], %arg0
// CHECK-NEXT: scf.yield %[[HALF]] : i32
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @body_in_condition(%p: !llvm.ptr, %start: i32) {
  ocl.barrier work_group local // the pattern runs if the dialect is loaded
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %none = ub.poison : i32
  %end = scf.while (%x = %start) : (i32) -> i32 {
    %more = arith.cmpi sgt, %x, %zero : i32
    %r = scf.if %more -> i32 {
      %half = arith.divsi %x, %two : i32
      llvm.store %half, %p : i32, !llvm.ptr
      scf.yield %half : i32
    } else {
      scf.yield %none : i32
    }
    scf.condition(%more) %r : i32
  } do {
  ^bb0(%x: i32):
    scf.yield %x : i32
  }
  return
}

// The value of the loop is that of the else part.
// CHECK-LABEL: @value_at_exit
// CHECK: scf.while (%[[X:.*]] = %arg1) : (i32) -> i32 {
// CHECK: scf.condition(%{{.*}}) %[[X]] : i32
// CHECK: return %arg2 : i32
func.func @value_at_exit(%p: !llvm.ptr, %start: i32, %other: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %end = scf.while (%x = %start) : (i32) -> i32 {
    %more = arith.cmpi sgt, %x, %zero : i32
    %r = scf.if %more -> i32 {
      %half = arith.divsi %x, %two : i32
      llvm.store %half, %p : i32, !llvm.ptr
      scf.yield %half : i32
    } else {
      scf.yield %other : i32
    }
    scf.condition(%more) %r : i32
  } do {
  ^bb0(%x: i32):
    scf.yield %x : i32
  }
  return %end : i32
}
