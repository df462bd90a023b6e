// passes/simd/emit/WidenOneLaneBranch: at most one lane passes `id == n`, and a scalar copy of the branch runs for it.
// RUN: kiln-opt %s %cpu_8 --wg-vectorize=max-interleave=1 | FileCheck %s

// A number that rises by lane is computed for the lane, and one that varies is extracted.
// CHECK-LABEL: func.func @edge
// CHECK: lanes 8
// CHECK: %[[ID:.*]] = ocl.query local_id
// CHECK: %[[V:.*]] = llvm.load {{.*}} -> vector<8xi32>
// CHECK: %[[LANE:.*]] = arith.subi %arg2, %[[ID]] : i64
// CHECK: %[[TAKES:.*]] = arith.cmpi ult, %[[LANE]], %c8_i64
// CHECK: scf.if %[[TAKES]] {
// CHECK: arith.shrui
// CHECK: scf.if %{{.*}} {
// CHECK: vector.extract %[[V]][%{{.*}}] : i32 from vector<8xi32>
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<1>
// CHECK: wg.yield
// CHECK-LABEL: func.func @masked
func.func @edge(%from: !llvm.ptr<1>, %to: !llvm.ptr<1>, %n: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %l = ocl.query local_id[%zero] : i64
    %p = llvm.getelementptr %from[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    llvm.store %v, %p {alignment = 4 : i64} : i32, !llvm.ptr<1>
    %is = arith.cmpi eq, %l, %n : i64
    scf.if %is {
      %positive = arith.cmpi sgt, %v, %zero : i32
      scf.if %positive {
        %q = llvm.getelementptr %to[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
        llvm.store %v, %q {alignment = 4 : i64} : i32, !llvm.ptr<1>
      }
    }
    wg.yield
  }
  return
}

// Under a mask the lane must be active, and another condition must hold in it.
// CHECK: lanes 8
// CHECK: scf.if
// CHECK: llvm.bitcast %{{.*}} : vector<8xi1> to i8
// CHECK: arith.shrui
// CHECK: arith.trunci {{.*}} to i1
// CHECK: scf.if
// CHECK: arith.shrui
// CHECK: scf.if
// CHECK: vector.extract %{{.*}}[%{{.*}}] : i32 from vector<8xi32>
// CHECK-COUNT-1: llvm.store
// CHECK-LABEL: func.func @private
func.func @masked(%from: !llvm.ptr<1>, %to: !llvm.ptr<1>, %n: i64, %m: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %l = ocl.query local_id[%zero] : i64
    %p = llvm.getelementptr %from[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %w = arith.muli %v, %v : i32
    llvm.store %w, %p {alignment = 4 : i64} : i32, !llvm.ptr<1>
    %is = arith.cmpi sgt, %v, %zero : i32
    scf.if %is {
      %o = llvm.getelementptr %to[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
      llvm.store %w, %o {alignment = 4 : i64} : i32, !llvm.ptr<1>
      %same = arith.cmpi eq, %l, %n : i64
      %other = arith.cmpi ne, %w, %m : i32
      %both = arith.andi %same, %other : i1
      scf.if %both {
        %q = llvm.getelementptr %to[%w] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
        llvm.store %v, %q {alignment = 4 : i64} : i32, !llvm.ptr<1>
      }
    }
    wg.yield
  }
  return
}

// Private memory is interleaved by lane: the branch runs under a mask.
// CHECK-NOT: arith.shrui
// CHECK-NOT: vector.extract %{{.*}}[%{{.*}}] : i32
// CHECK: return
func.func @private(%from: !llvm.ptr<1>, %n: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  wg.parallel {
    %room = llvm.alloca %one x !llvm.array<4 x i32> : (i32) -> !llvm.ptr
    %l = ocl.query local_id[%zero] : i64
    %p = llvm.getelementptr %from[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %is = arith.cmpi eq, %l, %n : i64
    %e = llvm.getelementptr %room[0, %n] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<4 x i32>
    scf.if %is {
      llvm.store %v, %e {alignment = 4 : i64} : i32, !llvm.ptr
    }
    %w = llvm.load %e {alignment = 4 : i64} : !llvm.ptr -> i32
    llvm.store %w, %p {alignment = 4 : i64} : i32, !llvm.ptr<1>
    wg.yield
  }
  return
}
