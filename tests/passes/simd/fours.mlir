// RUN: kiln-opt %s --wg-vectorize="abreast=1 lanes=16" | FileCheck %s

// i & mask in the second copy of the body: sixteen lanes are no piece, but every four of them may be. Then four stores
// of four, in place of one a lane.
// CHECK-LABEL: func.func @blocks
// CHECK: lanes 16
// The first copy: one store, where all lie in one piece.
// CHECK: llvm.store %{{.*}} : vector<16xf32>
// CHECK: %[[LOW:.*]] = arith.andi %{{.*}}, %c3_i64
// CHECK: arith.cmpi eq, %[[LOW]], %c0_i64
// CHECK: scf.if
// CHECK-COUNT-4: llvm.store %{{.*}} : vector<4xf32>
// CHECK-NOT: vector<4xf32>, !llvm.ptr
// CHECK: } else {
// CHECK-COUNT-16: llvm.store %{{.*}} : f32
func.func @blocks(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %mask: i64) attributes {ocl.kernel} {
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
