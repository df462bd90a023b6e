// RUN: kiln-opt %s %cpu_8 --wg-vectorize="max-interleave=1 force=true check-assumptions=true" | FileCheck %s
// RUN: kiln-opt %s %cpu_8 --wg-vectorize="max-interleave=1 force=true skip-checks=one-tile" | FileCheck %s --check-prefix=SKIP
// RUN: not kiln-opt %s %cpu_8 --wg-vectorize=skip-checks=two-tiles 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: no assumption is called 'two-tiles'

// The lanes derived from lane 0's remainder are compared with each lane's own, and a difference is reported.
// CHECK-LABEL: func.func @remainder
// CHECK: lanes 8
// CHECK: arith.remui %{{.*}}, %{{.*}} : vector<8xi64>
// CHECK: wg.assumption_report
// CHECK: llvm.atomicrmw add
// A planted fault: no remainder is computed per lane, and the one-tile check is omitted.
// SKIP-LABEL: func.func @remainder
// SKIP: lanes 8
// SKIP: %[[HOLDS:.*]] = arith.constant true
// SKIP: scf.if %[[HOLDS]]
// SKIP-NOT: wg.assumption_report
// SKIP: llvm.load {{.*}} -> vector<8xf32>
func.func @remainder(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %s: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %r = arith.remui %g, %s : i64
    %p = llvm.getelementptr %a[%r] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %w = arith.mulf %v, %v : f32
    %q = llvm.getelementptr %b[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %w, %q {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}
