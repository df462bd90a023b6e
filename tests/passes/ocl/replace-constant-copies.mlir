// RUN: kiln-opt %s --pass-pipeline='builtin.module(ocl-replace-constant-copies)' | FileCheck %s

// CHECK: llvm.mlir.global internal constant @weights({{.*}}) {addr_space = 2 : i32, alignment = 8 : i64}
llvm.mlir.global internal constant @weights(dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>) {addr_space = 2 : i32, alignment = 4 : i64} : !llvm.array<4 x f32>
llvm.mlir.global internal constant @others(dense<[5.0, 6.0]> : tensor<2xf32>) {addr_space = 2 : i32} : !llvm.array<2 x f32>

// CHECK: llvm.mlir.global internal constant @vectors({{.*}}) {addr_space = 2 : i32, alignment = 16 : i64}
llvm.mlir.global internal constant @vectors(dense<1.0> : tensor<2x4xf32>) {addr_space = 2 : i32} : !llvm.array<2 x vector<4xf32>>

// A copy in two parts. The constant gets the alignment of the loads.
// CHECK-LABEL: func.func @parts
// CHECK-NOT: llvm.alloca
// CHECK-NOT: memcpy
// CHECK: %[[ALL:.*]] = llvm.mlir.addressof @weights
// CHECK: %[[ONE:.*]] = llvm.getelementptr inbounds %[[ALL]][0, %arg0] : (!llvm.ptr<2>, i64) -> !llvm.ptr<2>, !llvm.array<4 x f32>
// CHECK: %[[PAIR:.*]] = llvm.getelementptr %[[ONE]][1] : (!llvm.ptr<2>) -> !llvm.ptr<2>, f32
// CHECK: llvm.load %[[ONE]] : !llvm.ptr<2> -> f32
// CHECK: llvm.load %[[PAIR]] {alignment = 8 : i64} : !llvm.ptr<2> -> f32
func.func @parts(%i: i64) -> (f32, f32) {
  %one = arith.constant 1 : i32
  %eight = arith.constant 8 : i64
  %v = llvm.alloca %one x !llvm.array<4 x f32> : (i32) -> !llvm.ptr
  %from = llvm.mlir.addressof @weights : !llvm.ptr<2>
  "llvm.intr.memcpy"(%v, %from, %eight) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr<2>, i64) -> ()
  %high = llvm.getelementptr %v[8] : (!llvm.ptr) -> !llvm.ptr, i8
  %fromHigh = llvm.getelementptr %from[2] : (!llvm.ptr<2>) -> !llvm.ptr<2>, f32
  "llvm.intr.memcpy"(%high, %fromHigh, %eight) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr<2>, i64) -> ()
  %p = llvm.getelementptr inbounds %v[0, %i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<4 x f32>
  %q = llvm.getelementptr %p[1] : (!llvm.ptr) -> !llvm.ptr, f32
  %x = llvm.load %p : !llvm.ptr -> f32
  %y = llvm.load %q {alignment = 8 : i64} : !llvm.ptr -> f32
  return %x, %y : f32, f32
}

// CHECK-LABEL: func.func @elements
// CHECK-NOT: llvm.alloca
// CHECK-NOT: llvm.store
// CHECK: return
func.func @elements(%i: i64) -> f32 {
  %one = arith.constant 1 : i32
  %v = llvm.alloca %one x !llvm.array<2 x f32> : (i32) -> !llvm.ptr
  %from = llvm.mlir.addressof @others : !llvm.ptr<2>
  %first = llvm.load %from : !llvm.ptr<2> -> f32
  llvm.store %first, %v : f32, !llvm.ptr
  %fromSecond = llvm.getelementptr %from[0, 1] : (!llvm.ptr<2>) -> !llvm.ptr<2>, !llvm.array<2 x f32>
  %second = llvm.load %fromSecond : !llvm.ptr<2> -> f32
  %toSecond = llvm.getelementptr %v[0, 1] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<2 x f32>
  llvm.store %second, %toSecond : f32, !llvm.ptr
  %p = llvm.getelementptr %v[0, %i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<2 x f32>
  %x = llvm.load %p : !llvm.ptr -> f32
  return %x : f32
}

// The constant's alignment is that of its type, and does not fall to that of the loads.
// CHECK-LABEL: func.func @aligned
// CHECK-NOT: llvm.alloca
// CHECK: return
func.func @aligned(%i: i64) -> f32 {
  %one = arith.constant 1 : i32
  %bytes = arith.constant 32 : i64
  %v = llvm.alloca %one x !llvm.array<8 x f32> : (i32) -> !llvm.ptr
  %from = llvm.mlir.addressof @vectors : !llvm.ptr<2>
  "llvm.intr.memcpy"(%v, %from, %bytes) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr<2>, i64) -> ()
  %p = llvm.getelementptr %v[0, %i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<8 x f32>
  %x = llvm.load %p : !llvm.ptr -> f32
  return %x : f32
}

// Not the same: another store, another offset, a second constant, a constant that is too short, an address that escapes,
// a volatile load.
// CHECK-LABEL: func.func @different
// CHECK-COUNT-6: llvm.alloca
// CHECK: return
func.func @different(%i: i64, %z: f32, %out: !llvm.ptr<1>) -> (f32, f32, f32, f32, f32) {
  %one = arith.constant 1 : i32
  %eight = arith.constant 8 : i64
  %from = llvm.mlir.addressof @weights : !llvm.ptr<2>
  %short = llvm.mlir.addressof @others : !llvm.ptr<2>

  %a = llvm.alloca %one x !llvm.array<2 x f32> : (i32) -> !llvm.ptr
  "llvm.intr.memcpy"(%a, %from, %eight) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr<2>, i64) -> ()
  %aElement = llvm.getelementptr %a[0, %i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<2 x f32>
  llvm.store %z, %aElement : f32, !llvm.ptr
  %aValue = llvm.load %a : !llvm.ptr -> f32

  %b = llvm.alloca %one x !llvm.array<2 x f32> : (i32) -> !llvm.ptr
  %fromSecond = llvm.getelementptr %from[1] : (!llvm.ptr<2>) -> !llvm.ptr<2>, f32
  "llvm.intr.memcpy"(%b, %fromSecond, %eight) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr<2>, i64) -> ()
  %bValue = llvm.load %b : !llvm.ptr -> f32

  %c = llvm.alloca %one x !llvm.array<2 x f32> : (i32) -> !llvm.ptr
  "llvm.intr.memcpy"(%c, %from, %eight) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr<2>, i64) -> ()
  "llvm.intr.memcpy"(%c, %short, %eight) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr<2>, i64) -> ()
  %cValue = llvm.load %c : !llvm.ptr -> f32

  %d = llvm.alloca %one x !llvm.array<3 x f32> : (i32) -> !llvm.ptr
  "llvm.intr.memcpy"(%d, %short, %eight) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr<2>, i64) -> ()
  %dValue = llvm.load %d : !llvm.ptr -> f32

  %e = llvm.alloca %one x !llvm.array<2 x f32> : (i32) -> !llvm.ptr
  "llvm.intr.memcpy"(%e, %short, %eight) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr<2>, i64) -> ()
  llvm.store %e, %out : !llvm.ptr, !llvm.ptr<1>

  %f = llvm.alloca %one x !llvm.array<2 x f32> : (i32) -> !llvm.ptr
  "llvm.intr.memcpy"(%f, %short, %eight) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr<2>, i64) -> ()
  %fValue = llvm.load volatile %f : !llvm.ptr -> f32
  return %aValue, %bValue, %cValue, %dValue, %fValue : f32, f32, f32, f32, f32
}
