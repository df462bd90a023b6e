// RUN: kiln-opt %s --ocl-pass-queries | FileCheck %s

// Each queried value is one argument, through all levels of calls.
// CHECK-LABEL: func.func private @inner(
// CHECK-SAME: %[[X:.*]]: i64, %[[ID:.*]]: i64, %[[SIZE:.*]]: i64, %[[BLOCK:.*]]: !llvm.ptr<1>)
// CHECK-NOT: ocl.query
// CHECK: arith.addi %[[X]], %[[ID]]
// CHECK: arith.addi %{{.*}}, %[[SIZE]]
// CHECK: arith.addi %{{.*}}, %[[ID]]
// CHECK: llvm.load %[[BLOCK]]
func.func private @inner(%x: i64) -> i64 attributes {ocl.called} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = ocl.query global_id[%c0] : i64
  %j = ocl.query local_size[%c1] : i64
  %again = ocl.query global_id[%c0] : i64
  %p = ocl.program_variables : !llvm.ptr<1>
  %0 = arith.addi %x, %i : i64
  %1 = arith.addi %0, %j : i64
  %2 = arith.addi %1, %again : i64
  %v = llvm.load %p : !llvm.ptr<1> -> i64
  %3 = arith.addi %2, %v : i64
  return %3 : i64
}
// CHECK-LABEL: func.func private @outer(
// CHECK-SAME: %[[X:.*]]: i64, %[[WORK:.*]]: i32, %[[ID:.*]]: i64, %[[SIZE:.*]]: i64, %[[BLOCK:.*]]: !llvm.ptr<1>)
// CHECK: call @inner(%{{.*}}, %[[ID]], %[[SIZE]], %[[BLOCK]])
func.func private @outer(%x: i64) -> i64 attributes {ocl.called} {
  %d = ocl.linear_query work_dim : i32
  %w = arith.extui %d : i32 to i64
  %y = arith.addi %x, %w : i64
  %0 = func.call @inner(%y) : (i64) -> i64
  return %0 : i64
}
// CHECK-LABEL: func.func @k(
// CHECK: %[[WORK:.*]] = ocl.linear_query work_dim : i32
// CHECK: %[[ID:.*]] = ocl.query global_id
// CHECK: %[[SIZE:.*]] = ocl.query local_size
// CHECK: %[[BLOCK:.*]] = ocl.program_variables
// CHECK: call @outer(%arg0, %[[WORK]], %[[ID]], %[[SIZE]], %[[BLOCK]])
func.func @k(%x: i64) attributes {ocl.kernel} {
  %0 = func.call @outer(%x) : (i64) -> i64
  return
}

// The address of the printf buffer is in the kernel's launch.
// CHECK-LABEL: func.func private @prints(
// CHECK-SAME: i32, %[[BUFFER:.*]]: !llvm.ptr<1>)
// CHECK-NEXT: llvm.store %{{.*}}, %[[BUFFER]]
// CHECK-LABEL: func.func @printing(
// CHECK: %[[BUFFER:.*]] = ocl.printf_buffer
// CHECK: call @prints(%arg0, %[[BUFFER]])
func.func private @prints(%x: i32) attributes {ocl.called} {
  %b = ocl.printf_buffer : !llvm.ptr<1>
  llvm.store %x, %b : i32, !llvm.ptr<1>
  return
}
func.func @printing(%x: i32) attributes {ocl.kernel} {
  func.call @prints(%x) : (i32) -> ()
  return
}
