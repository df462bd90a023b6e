// RUN: kiln-opt %s %cpu_8 --wg-vectorize | FileCheck %s
// RUN: kiln-opt %s %cpu_8 --wg-vectorize=max-interleave=1 | FileCheck %s --check-prefix=SINGLE
// RUN: kiln-opt %s %cpu_8 --ocl-set-target=local-size=64,1,1 --wg-vectorize | FileCheck %s --check-prefix=SIZED

// passes/simd/decide/InterleaveCount and Pressure. A count of two if the registers suffice. An attribute has the preferred
// multiple of the local size.
// CHECK-LABEL: func.func @few
// CHECK-SAME: ocl.preferred_multiple = 16 : i64
// CHECK: lanes 16
// SINGLE-LABEL: func.func @few
// SINGLE: lanes 8
func.func @few(%a: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %p = llvm.getelementptr %a[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %w = arith.mulf %v, %v : f32
    llvm.store %w, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// Fourteen values that are live to the end.
// CHECK-LABEL: func.func @many
// CHECK: lanes 8
func.func @many(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %p = llvm.getelementptr %a[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v0 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %v1 = arith.mulf %v0, %v0 : f32
    %v2 = arith.mulf %v1, %v0 : f32
    %v3 = arith.mulf %v2, %v1 : f32
    %v4 = arith.mulf %v3, %v2 : f32
    %v5 = arith.mulf %v4, %v3 : f32
    %v6 = arith.mulf %v5, %v4 : f32
    %v7 = arith.mulf %v6, %v5 : f32
    %v8 = arith.mulf %v7, %v6 : f32
    %v9 = arith.mulf %v8, %v7 : f32
    %v10 = arith.mulf %v9, %v8 : f32
    %v11 = arith.mulf %v10, %v9 : f32
    %v12 = arith.mulf %v11, %v10 : f32
    %v13 = arith.mulf %v12, %v11 : f32
    %s0 = arith.addf %v13, %v0 : f32
    %s1 = arith.addf %s0, %v1 : f32
    %s2 = arith.addf %s1, %v2 : f32
    %s3 = arith.addf %s2, %v3 : f32
    %s4 = arith.addf %s3, %v4 : f32
    %s5 = arith.addf %s4, %v5 : f32
    %s6 = arith.addf %s5, %v6 : f32
    %s7 = arith.addf %s6, %v7 : f32
    %s8 = arith.addf %s7, %v8 : f32
    %s9 = arith.addf %s8, %v9 : f32
    %s10 = arith.addf %s9, %v10 : f32
    %s11 = arith.addf %s10, %v11 : f32
    %s12 = arith.addf %s11, %v12 : f32
    %q = llvm.getelementptr %b[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %s12, %q {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// Interleaving gains nothing for scalarized operations.
// CHECK-LABEL: func.func @counts
// CHECK: lanes 8
func.func @counts(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %p = llvm.getelementptr %a[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %s = ocl.math sin (%v) : (f32) -> f32
    llvm.store %s, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
    %old = ocl.atomic_rmw add %b, %one relaxed device : !llvm.ptr<1>, i32
    wg.yield
  }
  return
}

// The application chooses the local size, and rows may be shorter than two vectors: a variant for a fixed local size
// interleaves.
// CHECK-LABEL: func.func @depends_on_local_size
// CHECK-SAME: ocl.kernel, ocl.preferred_multiple = 16 : i64, ocl.prefers_fixed_local_size
// CHECK: lanes 8
// SIZED-LABEL: func.func @depends_on_local_size
// SIZED: lanes 16
func.func @depends_on_local_size(%a: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %g = ocl.query local_id[%zero] : i64
    %p = llvm.getelementptr %a[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %w = arith.mulf %v, %v : f32
    llvm.store %w, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// The components of a short vector are chains of their own: two of them, of which each may start every other cycle.
// SIZED-LABEL: func.func @short_vectors
// SIZED: lanes 32
func.func @short_vectors(%a: !llvm.ptr<1>, %n: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %p = llvm.getelementptr %a[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<2xf32>
    %v = llvm.load %p {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xf32>
    %end, %sum = scf.while (%k = %none, %x = %v) : (i64, vector<2xf32>) -> (i64, vector<2xf32>) {
      %more = arith.cmpi slt, %k, %n : i64
      scf.condition(%more) %k, %x : i64, vector<2xf32>
    } do {
    ^bb0(%k: i64, %x: vector<2xf32>):
      %y = arith.mulf %x, %x : vector<2xf32>
      %z = arith.addf %y, %v : vector<2xf32>
      %next = arith.addi %k, %one : i64
      scf.yield %next, %z : i64, vector<2xf32>
    }
    %x0 = vector.extract %sum[0] : f32 from vector<2xf32>
    %q = llvm.getelementptr %a[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %x0, %q {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}
