// passes/simd/prepare/PoisonChoices.
// RUN: kiln-opt %s %cpu_8 --wg-vectorize=max-interleave=1 | FileCheck %s

// A search that leaves its loop at the first match: the counter is uniform, so the table is loaded once for all lanes.
// CHECK-LABEL: func.func @search
// CHECK: lanes 8
// CHECK: scf.while (%[[K:[a-z0-9]+]] = %{{.*}}, {{.*}}) : (i64,
// CHECK: llvm.load {{.*}} : !llvm.ptr<1> -> f32
// CHECK-NOT: llvm.load
// CHECK: arith.cmpf oge, {{.*}} : vector<8xf32>
// CHECK-LABEL: func.func @store_and_leave
func.func @search(%table: !llvm.ptr<1>, %wanted: !llvm.ptr<1>, %to: !llvm.ptr<1>, %n: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %q = llvm.getelementptr %wanted[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %u = llvm.load %q {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    cf.br ^head(%none : i64)
  ^head(%k: i64):
    %more = arith.cmpi slt, %k, %n : i64
    cf.cond_br %more, ^body, ^end(%n : i64)
  ^body:
    %p = llvm.getelementptr %table[%k] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %found = arith.cmpf oge, %v, %u : f32
    cf.cond_br %found, ^end(%k : i64), ^next
  ^next:
    %following = arith.addi %k, %one : i64
    cf.br ^head(%following : i64)
  ^end(%at: i64):
    %r = llvm.getelementptr %to[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i64
    llvm.store %at, %r {alignment = 8 : i64} : i64, !llvm.ptr<1>
    wg.yield
  }
  return
}

// The same with a store before the loop is left: the sum moves before the branch.
// CHECK: lanes 8
// CHECK: scf.while (%[[K:[a-z0-9]+]] = %{{.*}}, {{.*}}) : (i64,
// CHECK: arith.addi %[[K]], %{{.*}} : i64
// CHECK: scf.if
// CHECK: llvm.load {{.*}} : !llvm.ptr<1> -> f32
// CHECK-NOT: llvm.load
// CHECK: arith.cmpf oge, {{.*}} : vector<8xf32>
// CHECK: return
func.func @store_and_leave(%table: !llvm.ptr<1>, %limit: f32, %to: !llvm.ptr<1>, %n: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %narrow = arith.trunci %g : i64 to i32
    %u = arith.sitofp %narrow : i32 to f32
    %r = llvm.getelementptr %to[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i64
    cf.br ^head(%none : i64)
  ^head(%k: i64):
    %more = arith.cmpi slt, %k, %n : i64
    cf.cond_br %more, ^body, ^end
  ^body:
    %p = llvm.getelementptr %table[%k] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %found = arith.cmpf oge, %v, %u : f32
    cf.cond_br %found, ^match, ^next
  ^match:
    llvm.store %k, %r {alignment = 8 : i64} : i64, !llvm.ptr<1>
    cf.br ^end
  ^next:
    %following = arith.addi %k, %one overflow<nsw> : i64
    cf.br ^head(%following : i64)
  ^end:
    wg.yield
  }
  return
}

// A loop without `break` in a graph: it keeps its form, in which the rows that work-items read are unrolled.
// CHECK-LABEL: func.func @rows
// CHECK: lanes 8
// CHECK: scf.while
// CHECK-COUNT-8: llvm.load {{.*}} : !llvm.ptr<1> -> vector<8xf32>
// CHECK-NOT: llvm.load {{.*}} -> f32
// CHECK: scf.yield
func.func @rows(%a: !llvm.ptr<1>, %to: !llvm.ptr<1>, %n: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %nothing = arith.constant 0.0 : f32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %row = arith.muli %g, %n : i64
    cf.br ^head(%none, %nothing : i64, f32)
  ^head(%k: i64, %sum: f32):
    %more = arith.cmpi slt, %k, %n : i64
    cf.cond_br %more, ^body, ^end
  ^body:
    %at = arith.addi %row, %k : i64
    %p = llvm.getelementptr %a[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %next = arith.addf %sum, %v : f32
    %following = arith.addi %k, %one : i64
    cf.br ^head(%following, %next : i64, f32)
  ^end:
    %r = llvm.getelementptr %to[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %sum, %r {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}
