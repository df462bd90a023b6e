// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(ocl-zero-undefined),canonicalize)' | FileCheck %s

// CHECK-LABEL: func.func @numbers(
// CHECK-DAG: %[[F:.*]] = arith.constant dense<[0.000000e+00, 1.000000e+00]> : vector<2xf32>
// CHECK-DAG: %[[I:.*]] = arith.constant 0 : i32
// CHECK: return %[[F]], %[[I]]
func.func @numbers() -> (vector<2xf32>, i32) {
  %ones = arith.constant dense<1.0> : vector<2xf32>
  %x = llvm.mlir.undef : f32
  %i = llvm.mlir.undef : i32
  %v = vector.insert %x, %ones[0] : f32 into vector<2xf32>
  return %v, %i : vector<2xf32>, i32
}

// Structs that are built from undefined ones, member by member, stay.
// CHECK-LABEL: func.func @structs(
// CHECK: llvm.mlir.undef : !llvm.struct
func.func @structs(%x: i32) -> !llvm.struct<(i32, i32)> {
  %s = llvm.mlir.undef : !llvm.struct<(i32, i32)>
  %r = llvm.insertvalue %x, %s[0] : !llvm.struct<(i32, i32)>
  return %r : !llvm.struct<(i32, i32)>
}
