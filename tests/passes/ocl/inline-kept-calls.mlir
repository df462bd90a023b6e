// RUN: kiln-opt %s --pass-pipeline='builtin.module(ocl-keep-calls{max-kernel-ops=20 max-ops-without-calls=30},ocl-inline-calls)' | FileCheck %s

// Calls of kept functions are inlined in a kernel that is small even then, also those that were in a kept function.
// CHECK-LABEL: func.func private @inner({{.*}} ocl.called
// CHECK-LABEL: func.func private @outer({{.*}} ocl.called
// CHECK: call @inner
// CHECK-LABEL: func.func @large(
// CHECK-NOT: ocl.inlines_all
// CHECK-COUNT-3: call @outer
// CHECK-LABEL: func.func @small(
// CHECK-SAME: ocl.inlines_all
// CHECK-NOT: call
// CHECK: return
func.func private @inner(%x: i32) -> i32 {
  %0 = arith.muli %x, %x : i32
  %1 = arith.muli %0, %x : i32
  %2 = arith.muli %1, %x : i32
  %3 = arith.muli %2, %x : i32
  return %3 : i32
}
func.func private @outer(%x: i32) -> i32 {
  %0 = func.call @inner(%x) : (i32) -> i32
  %1 = arith.muli %0, %x : i32
  %2 = arith.muli %1, %x : i32
  %3 = arith.muli %2, %x : i32
  %4 = arith.muli %3, %x : i32
  %5 = func.call @inner(%4) : (i32) -> i32
  return %5 : i32
}
func.func @large(%x: i32) -> i32 attributes {ocl.kernel} {
  %0 = func.call @outer(%x) : (i32) -> i32
  %1 = func.call @outer(%0) : (i32) -> i32
  %2 = func.call @outer(%1) : (i32) -> i32
  %3 = func.call @inner(%2) : (i32) -> i32
  %4 = func.call @inner(%3) : (i32) -> i32
  %5 = func.call @inner(%4) : (i32) -> i32
  return %5 : i32
}
func.func @small(%x: i32) -> i32 attributes {ocl.kernel} {
  %0 = func.call @outer(%x) : (i32) -> i32
  return %0 : i32
}
