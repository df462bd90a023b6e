// RUN: kiln-opt %s %cpu_16 --wg-vectorize=max-interleave=1 | FileCheck %s

// i & mask in the fallback body: sixteen lanes span several tiles, but each quad may lie in one. Then four stores of
// four elements replace sixteen scalar stores.
// CHECK-LABEL: func.func @tiles_by_mask
// CHECK: lanes 16
// The optimistic body: one store, if all lanes lie in one tile.
// CHECK: llvm.store %{{.*}} : vector<16xf32>
// CHECK: %[[LOW:.*]] = arith.andi %{{.*}}, %c3_i64
// CHECK: arith.cmpi eq, %[[LOW]], %c0_i64
// CHECK: scf.if
// CHECK-COUNT-4: llvm.store %{{.*}} : vector<4xf32>
// CHECK-NOT: vector<4xf32>, !llvm.ptr
// CHECK: } else {
// CHECK-COUNT-16: llvm.store %{{.*}} : f32
func.func @tiles_by_mask(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %mask: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i64
  wg.parallel {
    %g = ocl.query local_id[%zero] : i64
    %p = llvm.getelementptr %a[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %v2 = arith.mulf %v, %v : f32
    %v4 = arith.mulf %v2, %v2 : f32
    %v8 = arith.mulf %v4, %v4 : f32
    %k = arith.andi %g, %mask : i64
    %twice = arith.muli %g, %two : i64
    %at = arith.subi %twice, %k : i64
    %q = llvm.getelementptr %b[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %v8, %q {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}
