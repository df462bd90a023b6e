// RUN: kiln-opt %s --canonicalize --split-input-file | FileCheck %s

// Past dimension 2, ids and offsets are 0.
// CHECK-LABEL: @id_of_no_dimension
// CHECK-NOT: ocl.query
// CHECK: return %c0_i64
func.func @id_of_no_dimension() -> i64 {
  %d = arith.constant 3 : i32
  %0 = ocl.query global_id[%d] : i64
  return %0 : i64
}

// -----

// Sizes are 1 there, counted without sign.
// CHECK-LABEL: @size_of_no_dimension
// CHECK-NOT: ocl.query
// CHECK: return %c1_i32, %c1_i64
func.func @size_of_no_dimension() -> (i32, i64) {
  %d = arith.constant -1 : i32
  %0 = ocl.query global_size[%d] : i32
  %1 = ocl.query num_groups[%d] : i64
  return %0, %1 : i32, i64
}

// -----

// Queries whose result depends on the launch are not folded.
// CHECK-LABEL: @dimension_that_exists
// CHECK: ocl.query global_id
// CHECK: ocl.query global_size
func.func @dimension_that_exists(%n: i32) -> (i64, i64) {
  %d = arith.constant 2 : i32
  %0 = ocl.query global_id[%d] : i64
  %1 = ocl.query global_size[%n] : i64
  return %0, %1 : i64, i64
}

// -----

// Unused queries are removed; barriers and atomics are not.
// CHECK-LABEL: @unused
// CHECK-NEXT: ocl.barrier
// CHECK-NEXT: ocl.atomic_load
// CHECK-NEXT: return
func.func @unused(%p: !llvm.ptr<1>, %n: i32) {
  %0 = ocl.query global_id[%n] : i64
  %1 = ocl.linear_query work_dim : i32
  ocl.barrier work_group local
  %2 = ocl.atomic_load %p relaxed device : <1> -> i32
  return
}

// ocl.is_addrspace is folded if the pointer's original address space is known, else it is evaluated at run time.
// CHECK-LABEL: @spaces
// CHECK-DAG: %[[YES:.*]] = arith.constant true
// CHECK-DAG: %[[NO:.*]] = arith.constant false
// CHECK: %[[OPEN:.*]] = ocl.is_addrspace global %{{.*}} : <4>
// CHECK: return %[[YES]], %[[NO]], %[[OPEN]]
func.func @spaces(%p: !llvm.ptr<1>, %u: !llvm.ptr<4>, %i: i64) -> (i1, i1, i1) {
  %g = llvm.addrspacecast %p : !llvm.ptr<1> to !llvm.ptr<4>
  %e = llvm.getelementptr %g[%i] : (!llvm.ptr<4>, i64) -> !llvm.ptr<4>, i32
  %yes = ocl.is_addrspace global %e : !llvm.ptr<4>
  %no = ocl.is_addrspace local %g : !llvm.ptr<4>
  %open = ocl.is_addrspace global %u : !llvm.ptr<4>
  return %yes, %no, %open : i1, i1, i1
}

// -----

// Squares are products; powr is not, because powr of a negative number is NaN.
// CHECK-LABEL: @squares
// CHECK-DAG: %[[A:.*]] = arith.mulf %arg0, %arg0 : f32
// CHECK-DAG: %[[B:.*]] = arith.mulf %arg1, %arg1 : vector<4xf64>
// CHECK-DAG: %[[C:.*]] = ocl.math powr(%arg0
// CHECK-DAG: %[[D:.*]] = ocl.math pow(%arg0
// CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
func.func @squares(%x: f32, %v: vector<4xf64>) -> (f32, vector<4xf64>, f32, f32) {
  %two = arith.constant 2.0 : f32
  %twos = arith.constant dense<2> : vector<4xi32>
  %half = arith.constant 0.5 : f32
  %a = ocl.math pow(%x, %two) : (f32, f32) -> f32
  %b = ocl.math pown(%v, %twos) : (vector<4xf64>, vector<4xi32>) -> vector<4xf64>
  %c = ocl.math powr(%x, %two) : (f32, f32) -> f32
  %d = ocl.math pow(%x, %half) : (f32, f32) -> f32
  return %a, %b, %c, %d : f32, vector<4xf64>, f32, f32
}
