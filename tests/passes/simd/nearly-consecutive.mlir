// passes/simd/emit/WidenNearlyConsecutive: a neighbour with a clamped index, in a tile of known size and under a mask.
// RUN: kiln-opt %s %cpu_8 --wg-vectorize=max-interleave=1 | FileCheck %s

llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 4 : i64} : !llvm.array<16 x f32>

// CHECK-LABEL: func.func @clamped
// CHECK: lanes 8
// CHECK: %[[W:.*]] = arith.maxsi {{.*}} : vector<8xi64>
// CHECK: %[[MIDDLE:.*]] = vector.extract %[[W]][4]
// CHECK: arith.subi %[[MIDDLE]], %{{.*}} : i64
// CHECK: arith.cmpi ne, %[[W]], %{{.*}} : vector<8xi64>
// CHECK: scf.if %{{.*}} -> (vector<8xf32>) {
// CHECK: llvm.load {{.*}} -> vector<8xf32>
// CHECK: } else {
// CHECK-COUNT-8: llvm.load {{.*}} -> f32
// CHECK-LABEL: func.func @masked_bytes
func.func @clamped(%to: !llvm.ptr<1>, %first: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
  wg.parallel {
    %x = ocl.query local_id[%zero] : i64
    %left = arith.subi %x, %one : i64
    %w = arith.maxsi %left, %first : i64
    %p = llvm.getelementptr inbounds %tile[0, %w] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, !llvm.array<16 x f32>
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<3> -> f32
    %q = llvm.getelementptr %to[%x] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %v, %q {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// Only active lanes are compared and loaded. A 32-bit index must not wrap around between two lanes.
// CHECK: lanes 8
// CHECK: arith.cmpi ne, {{.*}} : vector<8xi32>
// CHECK: arith.cmpi sle, {{.*}} : i32
// CHECK: scf.if %{{.*}} -> (vector<8xi32>) {
// CHECK: llvm.intr.masked.load
// CHECK-LABEL: func.func @any_index
func.func @masked_bytes(%from: !llvm.ptr<1>, %to: !llvm.ptr<1>, %odd: !llvm.ptr<1>, %n: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  wg.parallel {
    %l = ocl.query local_id[%zero] : i64
    %x = arith.trunci %l : i64 to i32
    %r = llvm.getelementptr %odd[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %flag = llvm.load %r {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %is = arith.cmpi ne, %flag, %zero : i32
    scf.if %is {
      %right = arith.addi %x, %one : i32
      %e = arith.minsi %right, %n : i32
      %i = arith.extsi %e : i32 to i64
      %p = llvm.getelementptr %from[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
      %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> i32
      %q = llvm.getelementptr %to[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
      llvm.store %v, %q {alignment = 4 : i64} : i32, !llvm.ptr<1>
    }
    wg.yield
  }
  return
}

// An index from memory may be anything.
// CHECK: lanes 8
// CHECK-NOT: scf.if
// CHECK-COUNT-8: llvm.load {{.*}} -> f32
func.func @any_index(%from: !llvm.ptr<1>, %to: !llvm.ptr<1>, %indices: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %l = ocl.query local_id[%zero] : i64
    %r = llvm.getelementptr %indices[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i64
    %i = llvm.load %r {alignment = 8 : i64} : !llvm.ptr<1> -> i64
    %p = llvm.getelementptr %from[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %q = llvm.getelementptr %to[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %v, %q {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}
