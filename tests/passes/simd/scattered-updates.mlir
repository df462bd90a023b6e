// passes/simd/decide/ScatteredUpdates: `p[i] += x` at an address of each lane's own is scalar code.
// RUN: kiln-opt %s %cpu_8 --wg-vectorize="max-interleave=1 force=true" | FileCheck %s

// Each lane's index is loaded as a scalar, too, because only addresses use it.
// CHECK-LABEL: func.func @bytes
// CHECK: lanes 8
// CHECK-NOT: vector<8xi8>
// CHECK-COUNT-8: llvm.load {{.*}} -> i32
// CHECK-NOT: vector<8xi8>
// CHECK-COUNT-8: llvm.store {{.*}} : i8
// CHECK: wg.yield
func.func @bytes(%bins: !llvm.ptr<3>, %data: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i8
  %size = arith.constant 256 : i64
  wg.parallel {
    %l = ocl.query local_id[%zero] : i64
    %d = llvm.getelementptr %data[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %value = llvm.load %d {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %own = arith.muli %l, %size : i64
    %wide = arith.extui %value : i32 to i64
    %i = arith.addi %own, %wide : i64
    %p = llvm.getelementptr %bins[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
    %old = llvm.load %p {alignment = 1 : i64} : !llvm.ptr<3> -> i8
    %new = arith.addi %old, %one : i8
    llvm.store %new, %p {alignment = 1 : i64} : i8, !llvm.ptr<3>
    wg.yield
  }
  return
}

// Under a mask inactive lanes update the dummy slot. The other operand of the sum is a vector.
// CHECK-LABEL: func.func @masked
// CHECK: lanes 8
// CHECK: arith.select {{.*}} : vector<8xi1>, vector<8x!llvm.ptr<3>>
// CHECK: llvm.load {{.*}} -> f32
// CHECK: arith.addf {{.*}} : f32
// CHECK: llvm.store {{.*}} : f32
// CHECK-NOT: arith.addf {{.*}} : vector
// CHECK: wg.yield
func.func @masked(%bins: !llvm.ptr<3>, %data: !llvm.ptr<1>, %weights: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %l = ocl.query local_id[%zero] : i64
    %d = llvm.getelementptr %data[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %value = llvm.load %d {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %q = llvm.getelementptr %weights[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %weight = llvm.load %q {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %is = arith.cmpi ne, %value, %zero : i32
    scf.if %is {
      %i = arith.extui %value : i32 to i64
      %p = llvm.getelementptr %bins[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
      %old = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<3> -> f32
      %new = arith.addf %old, %weight : f32
      llvm.store %new, %p {alignment = 4 : i64} : f32, !llvm.ptr<3>
    }
    wg.yield
  }
  return
}

// The old value has another use, or memory is written between: a vector is loaded.
// CHECK-LABEL: func.func @other_use
// CHECK: lanes 8
// CHECK: arith.addi {{.*}} : vector<8xi8>
// CHECK-LABEL: func.func @store_between
// CHECK: lanes 8
// CHECK: arith.addi {{.*}} : vector<8xi8>
func.func @other_use(%bins: !llvm.ptr<3>, %data: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i8
  wg.parallel {
    %l = ocl.query local_id[%zero] : i64
    %d = llvm.getelementptr %data[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i64
    %i = llvm.load %d {alignment = 8 : i64} : !llvm.ptr<1> -> i64
    %p = llvm.getelementptr %bins[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
    %old = llvm.load %p {alignment = 1 : i64} : !llvm.ptr<3> -> i8
    %new = arith.addi %old, %one : i8
    llvm.store %new, %p {alignment = 1 : i64} : i8, !llvm.ptr<3>
    %o = llvm.getelementptr %data[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
    llvm.store %old, %o {alignment = 1 : i64} : i8, !llvm.ptr<1>
    wg.yield
  }
  return
}
func.func @store_between(%bins: !llvm.ptr<3>, %data: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i8
  wg.parallel {
    %l = ocl.query local_id[%zero] : i64
    %d = llvm.getelementptr %data[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i64
    %i = llvm.load %d {alignment = 8 : i64} : !llvm.ptr<1> -> i64
    %p = llvm.getelementptr %bins[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
    %old = llvm.load %p {alignment = 1 : i64} : !llvm.ptr<3> -> i8
    llvm.store %one, %bins {alignment = 1 : i64} : i8, !llvm.ptr<3>
    %new = arith.addi %old, %one : i8
    llvm.store %new, %p {alignment = 1 : i64} : i8, !llvm.ptr<3>
    wg.yield
  }
  return
}
