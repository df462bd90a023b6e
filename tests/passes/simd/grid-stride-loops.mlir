// RUN: kiln-opt %s %cpu_8 --wg-vectorize=max-interleave=1 | FileCheck %s

// `for (i = id; i < n; i += size)` with a 32-bit counter that the front end adds to in 64 bits
// (passes/simd/prepare/NarrowSums): a loop over the iterations that all lanes execute, which the last lane decides, and a
// masked loop over the rest.
// CHECK-LABEL: func.func @strides
// CHECK: lanes 8
// CHECK: scf.while {{.*}} : (i32) -> (i32, i32)
// CHECK: arith.cmpi ult, %{{.*}}, %arg1 : i32
// CHECK: scf.condition
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 4 : i64} : vector<8xf32>
// CHECK: scf.while
// CHECK: llvm.intr.masked.store
func.func @strides(%a: !llvm.ptr<1>, %n: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %first = arith.trunci %g : i64 to i32
    %last = scf.while (%i = %first) : (i32) -> i32 {
      %more = arith.cmpi ult, %i, %n : i32
      scf.condition(%more) %i : i32
    } do {
    ^bb0(%i: i32):
      %wide = arith.extui %i : i32 to i64
      %p = llvm.getelementptr %a[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
      %w = arith.mulf %v, %v : f32
      llvm.store %w, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
      %size = ocl.query global_size[%zero] : i64
      %sum = arith.addi %wide, %size : i64
      %next = arith.trunci %sum : i64 to i32
      scf.yield %next : i32
    }
    wg.yield
  }
  return
}

// Tiles that may be shorter than a vector: a vector within one tile is accessed as a whole, others by lanes. Both are
// vector code.
// CHECK-LABEL: func.func @tiles
// CHECK: lanes 8 ids_fit_i32
// CHECK: llvm.load {{.*}} -> vector<8xf32>
// CHECK: %[[LEFT:.*]] = arith.andi
// CHECK: scf.if %[[LEFT]] -> (i1, i1)
// CHECK-COUNT-8: llvm.load {{.*}} -> f32
// CHECK: llvm.store {{.*}} : vector<8xf32>
func.func @tiles(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %mask: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %k = arith.andi %g, %mask : i64
    %p = llvm.getelementptr %a[%k] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %w0 = arith.mulf %v, %v : f32
    %w1 = arith.mulf %w0, %w0 : f32
    %w2 = arith.mulf %w1, %w1 : f32
    %w3 = arith.mulf %w2, %w2 : f32
    %q = llvm.getelementptr %b[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %w3, %q {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// Under a mask each lane stores; inactive lanes store to a dummy slot.
// CHECK-LABEL: func.func @scatters
// CHECK: lanes 8
// CHECK: %[[NOWHERE:.*]] = llvm.alloca
// CHECK: arith.select {{.*}} : vector<8xi1>, vector<8x!llvm.ptr<1>>
// CHECK-COUNT-8: llvm.store {{.*}} : i32, !llvm.ptr<1>
func.func @scatters(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %p = llvm.getelementptr %a[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %h0 = arith.muli %v, %v : i32
    %h1 = arith.muli %h0, %h0 : i32
    %h2 = arith.muli %h1, %h1 : i32
    %h3 = arith.muli %h2, %h2 : i32
    %c = arith.cmpi sgt, %h3, %zero : i32
    scf.if %c {
      %h4 = arith.muli %h3, %v : i32
      %q = llvm.getelementptr %b[%v] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
      llvm.store %h4, %q {alignment = 4 : i64} : i32, !llvm.ptr<1>
    }
    llvm.store %h3, %p {alignment = 4 : i64} : i32, !llvm.ptr<1>
    wg.yield
  }
  return
}
