// RUN: kiln-opt --ocl-number-blocks %s | FileCheck %s

// FEATURES: DSE-07
// CHECK: func.func @parent
// CHECK: %[[SECOND:.*]] = arith.constant 1 : i32
// CHECK: return %[[SECOND]]
func.func @parent() -> i32 {
  %n = ocl.block_number @two.block : i32
  return %n : i32
}
// CHECK: func.func @one.block() attributes {ocl.block = 0 : i64, ocl.kernel}
func.func @one.block() attributes {ocl.block, ocl.kernel} { return }
// CHECK: func.func @two.block() attributes {ocl.block = 1 : i64, ocl.kernel}
func.func @two.block() attributes {ocl.block, ocl.kernel} { return }
