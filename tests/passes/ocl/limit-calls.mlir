// RUN: kiln-opt %s --split-input-file --ocl-keep-calls="max-kernel-ops=20 max-calls=3" | FileCheck %s

// The kernel would have four calls of the kept function `leaf`. So one of the functions that contain two of them is kept,
// although it is called once.
// CHECK-LABEL: @leaf(
// CHECK-SAME: ocl.called
// CHECK-LABEL: @left(
// CHECK-NOT: ocl.called
// CHECK-LABEL: @right(
// CHECK-SAME: ocl.called
// CHECK-LABEL: @k(
func.func private @leaf(%x: i32) -> i32 {
  %0 = arith.muli %x, %x : i32
  %1 = arith.muli %0, %x : i32
  %2 = arith.muli %1, %x : i32
  %3 = arith.muli %2, %x : i32
  %4 = arith.muli %3, %x : i32
  return %4 : i32
}
func.func private @left(%x: i32) -> i32 {
  %0 = func.call @leaf(%x) : (i32) -> i32
  %1 = func.call @leaf(%0) : (i32) -> i32
  return %1 : i32
}
func.func private @right(%x: i32) -> i32 {
  %0 = func.call @leaf(%x) : (i32) -> i32
  %1 = func.call @leaf(%0) : (i32) -> i32
  return %1 : i32
}
func.func @k(%x: i32) attributes {ocl.kernel} {
  %0 = func.call @left(%x) : (i32) -> i32
  %1 = func.call @right(%0) : (i32) -> i32
  return
}

// -----

// A function with a barrier cannot be kept.
// CHECK-LABEL: @leaf(
// CHECK-SAME: ocl.called
// CHECK-NOT: ocl.called
// CHECK-LABEL: @k(
func.func private @leaf(%x: i32) -> i32 {
  %0 = arith.muli %x, %x : i32
  %1 = arith.muli %0, %x : i32
  %2 = arith.muli %1, %x : i32
  %3 = arith.muli %2, %x : i32
  %4 = arith.muli %3, %x : i32
  return %4 : i32
}
func.func private @waits(%x: i32) -> i32 {
  %0 = func.call @leaf(%x) : (i32) -> i32
  ocl.barrier work_group "local"
  %1 = func.call @leaf(%0) : (i32) -> i32
  return %1 : i32
}
func.func @k(%x: i32) attributes {ocl.kernel} {
  %0 = func.call @waits(%x) : (i32) -> i32
  %1 = func.call @waits(%0) : (i32) -> i32
  return
}
