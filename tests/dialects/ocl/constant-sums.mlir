// RUN: kiln-opt %s --canonicalize | FileCheck %s

// Loads the dialect, whose patterns these are.
func.func private @loads() attributes {ocl.loads}

// The joined constant has wrapped around: the sum has no flag.
// CHECK-LABEL: @wraps
// CHECK: arith.addi %arg0, %c2147483647_i32 : i32
func.func @wraps(%a: i32) -> i32 {
  %c7 = arith.constant 7 : i32
  %low = arith.constant -2147483642 : i32
  %b = arith.subi %a, %c7 overflow<nsw> : i32
  %c = arith.addi %b, %low overflow<nsw> : i32
  return %c : i32
}

// CHECK-LABEL: @fits
// CHECK: arith.addi %arg0, %c12_i32 overflow<nsw, nuw> : i32
func.func @fits(%a: i32) -> i32 {
  %c7 = arith.constant 7 : i32
  %c5 = arith.constant 5 : i32
  %b = arith.addi %a, %c7 overflow<nsw, nuw> : i32
  %c = arith.addi %b, %c5 overflow<nsw, nuw> : i32
  return %c : i32
}

// 4294967290 is no unsigned distance upwards.
// CHECK-LABEL: @down
// CHECK: arith.addi %arg0, %c-6_i32 : i32
func.func @down(%a: i32) -> i32 {
  %c7 = arith.constant 7 : i32
  %c1 = arith.constant 1 : i32
  %b = arith.subi %a, %c7 overflow<nuw> : i32
  %c = arith.addi %b, %c1 overflow<nuw> : i32
  return %c : i32
}

// CHECK-LABEL: @product
// CHECK: arith.muli %arg0, %{{.*}} : i32
func.func @product(%a: i32) -> i32 {
  %x = arith.constant 65537 : i32
  %b = arith.muli %a, %x overflow<nsw> : i32
  %c = arith.muli %b, %x overflow<nsw> : i32
  return %c : i32
}
