// RUN: kiln-opt %s --split-input-file --ocl-keep-calls=max-kernel-ops=20 | FileCheck %s

// The function whose calls add most operations is kept, and the rest fits.
// CHECK-LABEL: @small(
// CHECK-NOT: ocl.called
// CHECK-LABEL: @large(
// CHECK-SAME: attributes {llvm.linkage = #llvm.linkage<internal>, ocl.called}
// CHECK-NOT: @unused
func.func private @small(%x: i32) -> i32 {
  %y = arith.muli %x, %x : i32
  return %y : i32
}
func.func private @large(%x: i32) -> i32 {
  %0 = arith.muli %x, %x : i32
  %1 = arith.muli %0, %x : i32
  %2 = arith.muli %1, %x : i32
  %3 = arith.muli %2, %x : i32
  %4 = arith.muli %3, %x : i32
  %5 = func.call @small(%4) : (i32) -> i32
  return %5 : i32
}
func.func private @unused(%x: i32) -> i32 {
  %y = func.call @large(%x) : (i32) -> i32
  return %y : i32
}
func.func @k(%x: i32) attributes {ocl.kernel} {
  %0 = func.call @large(%x) : (i32) -> i32
  %1 = func.call @large(%0) : (i32) -> i32
  %2 = func.call @large(%1) : (i32) -> i32
  %3 = func.call @small(%2) : (i32) -> i32
  %4 = func.call @small(%3) : (i32) -> i32
  return
}

// -----

// A barrier ends a region of the kernel, and local variables belong to the group: functions with either cannot be kept.
// A function that is called once adds nothing.
// CHECK-NOT: ocl.called
llvm.mlir.global internal @l() {addr_space = 3 : i32} : !llvm.array<4 x i32>
func.func private @waits(%x: i32) -> i32 {
  %0 = arith.muli %x, %x : i32
  %1 = arith.muli %0, %x : i32
  %2 = arith.muli %1, %x : i32
  %3 = arith.muli %2, %x : i32
  ocl.barrier work_group "local"
  return %3 : i32
}
func.func private @local(%x: i32) -> i32 {
  %0 = arith.muli %x, %x : i32
  %1 = arith.muli %0, %x : i32
  %2 = arith.muli %1, %x : i32
  %a = llvm.mlir.addressof @l : !llvm.ptr<3>
  %3 = llvm.load %a : !llvm.ptr<3> -> i32
  return %3 : i32
}
func.func private @once(%x: i32) -> i32 {
  %0 = arith.muli %x, %x : i32
  %1 = arith.muli %0, %x : i32
  %2 = arith.muli %1, %x : i32
  %3 = arith.muli %2, %x : i32
  return %3 : i32
}
func.func @k(%x: i32) attributes {ocl.kernel} {
  %0 = func.call @waits(%x) : (i32) -> i32
  %1 = func.call @waits(%0) : (i32) -> i32
  %2 = func.call @local(%1) : (i32) -> i32
  %3 = func.call @local(%2) : (i32) -> i32
  %4 = func.call @once(%3) : (i32) -> i32
  return
}

// -----

// A printf of literals does not need the kernel. One of a pointer that callers give does: it may be a literal of theirs.
// CHECK-LABEL: @prints(
// CHECK-SAME: ocl.called
// CHECK-LABEL: @named(
// CHECK-NOT: ocl.called
llvm.mlir.global internal constant @text("%d\0A\00") {addr_space = 2 : i32}
llvm.mlir.global internal constant @names("%s %d\0A\00") {addr_space = 2 : i32}
func.func private @prints(%x: i32) -> i32 {
  %0 = arith.muli %x, %x : i32
  %1 = arith.muli %0, %x : i32
  %2 = arith.muli %1, %x : i32
  %f = llvm.mlir.addressof @text : !llvm.ptr<2>
  %r = ocl.printf %f(%2) : !llvm.ptr<2>, i32
  return %2 : i32
}
func.func private @named(%x: i32, %name: !llvm.ptr<2>) -> i32 {
  %0 = arith.muli %x, %x : i32
  %1 = arith.muli %0, %x : i32
  %2 = arith.muli %1, %x : i32
  %3 = arith.muli %2, %x : i32
  %f = llvm.mlir.addressof @names : !llvm.ptr<2>
  %r = ocl.printf %f(%name, %3) : !llvm.ptr<2>, !llvm.ptr<2>, i32
  return %3 : i32
}
func.func @k(%x: i32) attributes {ocl.kernel} {
  %n = llvm.mlir.addressof @text : !llvm.ptr<2>
  %0 = func.call @prints(%x) : (i32) -> i32
  %1 = func.call @prints(%0) : (i32) -> i32
  %2 = func.call @named(%1, %n) : (i32, !llvm.ptr<2>) -> i32
  %3 = func.call @named(%2, %n) : (i32, !llvm.ptr<2>) -> i32
  return
}
