// RUN: kiln-opt %s --ocl-pad-vec3 | FileCheck %s
// RUN: kiln-opt %s --ocl-pad-vec3 --mem2reg | FileCheck %s --check-prefix=VALUE

// Stored as three components, loaded as four: one type, so it can be promoted.
// CHECK-LABEL: @three_and_four
// CHECK: llvm.alloca %{{.*}} x vector<4xf32>
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 1, 2, -1]
// CHECK: llvm.load {{.*}} -> vector<4xf32>
// VALUE-LABEL: @three_and_four
// VALUE-NOT: llvm.alloca
// VALUE-NOT: llvm.bitcast
// VALUE-LABEL: @in_a_struct
func.func @three_and_four(%v: vector<3xf32>) -> vector<4xf32> {
  %one = arith.constant 1 : i32
  %p = llvm.alloca %one x vector<3xf32> : (i32) -> !llvm.ptr
  llvm.store %v, %p {alignment = 16 : i64} : vector<3xf32>, !llvm.ptr
  %w = llvm.load %p {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
  return %w : vector<4xf32>
}

// In a struct as well.
// CHECK-LABEL: @in_a_struct
// CHECK: llvm.alloca %{{.*}} x !llvm.struct<(i32, vector<4xi32>)>
func.func @in_a_struct() -> vector<3xi32> {
  %one = arith.constant 1 : i32
  %s = llvm.alloca %one x !llvm.struct<(i32, vector<3xi32>)> : (i32) -> !llvm.ptr
  %p = llvm.getelementptr %s[0, 1] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(i32, vector<3xi32>)>
  %v = llvm.load %p : !llvm.ptr -> vector<3xi32>
  return %v : vector<3xi32>
}

// vload3 of an array of scalars: the fourth component may be another object.
// CHECK-LABEL: @packed
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<3xf32>
func.func @packed(%i: i64) -> vector<3xf32> {
  %one = arith.constant 1 : i32
  %a = llvm.alloca %one x !llvm.array<9 x f32> : (i32) -> !llvm.ptr
  %p = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<3xf32>
  return %v : vector<3xf32>
}

// Memory that is not private stays.
// CHECK-LABEL: @global
// CHECK: llvm.store %{{.*}}, %{{.*}} : vector<3xf32>, !llvm.ptr<1>
func.func @global(%v: vector<3xf32>, %p: !llvm.ptr<1>) {
  llvm.store %v, %p : vector<3xf32>, !llvm.ptr<1>
  return
}
