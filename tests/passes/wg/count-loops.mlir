// RUN: kiln-opt --wg-count-loops %s | FileCheck %s

// CHECK-LABEL: func.func @up
// CHECK: scf.for %{{.*}} = %{{.*}} to %arg0 step %{{.*}} iter_args
func.func @up(%n: i32, %s: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r:2 = scf.while (%i = %zero, %x = %s) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi slt, %i, %n : i32
    scf.condition(%more) %i, %x : i32, i32
  } do {
  ^bb0(%i: i32, %x: i32):
    %y = arith.muli %x, %i : i32
    %next = arith.addi %i, %one : i32
    scf.yield %next, %y : i32, i32
  }
  return %r#1 : i32
}

// A value that the condition passes twice, and the bound first.
// CHECK-LABEL: func.func @twice
// CHECK: scf.for %{{.*}} = %{{.*}} to %arg0 step %{{.*}} iter_args
func.func @twice(%n: i32, %s: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %r:3 = scf.while (%x = %s, %i = %zero) : (i32, i32) -> (i32, i32, i32) {
    %more = arith.cmpi sgt, %n, %i : i32
    scf.condition(%more) %x, %i, %x : i32, i32, i32
  } do {
  ^bb0(%x: i32, %i: i32, %z: i32):
    %y = arith.muli %z, %i : i32
    %next = arith.addi %two, %i : i32
    scf.yield %y, %next : i32, i32
  }
  return %r#2 : i32
}

// scf.for needs a positive step, so loops that count down or by an unknown step stay.
// CHECK-LABEL: func.func @down
// CHECK-NOT: scf.for
// CHECK-LABEL: func.func @unknown
// CHECK-NOT: scf.for
func.func @down(%n: i32, %s: i32) -> i32 {
  %minus = arith.constant -1 : i32
  %r:2 = scf.while (%i = %s, %x = %s) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi slt, %i, %n : i32
    scf.condition(%more) %i, %x : i32, i32
  } do {
  ^bb0(%i: i32, %x: i32):
    %y = arith.muli %x, %i : i32
    %next = arith.addi %i, %minus : i32
    scf.yield %next, %y : i32, i32
  }
  return %r#1 : i32
}
func.func @unknown(%n: i32, %s: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %r:2 = scf.while (%i = %zero, %x = %s) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi slt, %i, %n : i32
    scf.condition(%more) %i, %x : i32, i32
  } do {
  ^bb0(%i: i32, %x: i32):
    %y = arith.muli %x, %i : i32
    %next = arith.addi %i, %s : i32
    scf.yield %next, %y : i32, i32
  }
  return %r#1 : i32
}

// The unsigned order is not that of scf.for.
// CHECK-LABEL: func.func @unsigned
// CHECK-NOT: scf.for
func.func @unsigned(%n: i32, %s: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r:2 = scf.while (%i = %zero, %x = %s) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi ult, %i, %n : i32
    scf.condition(%more) %i, %x : i32, i32
  } do {
  ^bb0(%i: i32, %x: i32):
    %y = arith.muli %x, %i : i32
    %next = arith.addi %i, %one : i32
    scf.yield %next, %y : i32, i32
  }
  return %r#1 : i32
}
