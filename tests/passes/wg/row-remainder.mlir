// RUN: kiln-opt %s %cpu_8 --wg-vectorize=max-interleave=1 --convert-scf-to-cf --wg-lower-parallel | FileCheck %s

// Loops in the scalar body that runs the tail are not unrolled; those of the vector body may be.
// CHECK: #[[KEPT:.*]] = #llvm.loop_annotation<vectorize = #{{.*}}, unroll = #{{[a-z_0-9]+}}>{{$}}
// CHECK-LABEL: llvm.func @powers.group
// CHECK: arith.mulf %{{.*}}, %{{.*}} : vector<8xf32>
// CHECK: cf.br ^bb{{[0-9]+}}({{.*}} : i64, vector<8xf32>)
// CHECK: arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK: llvm.br ^bb{{[0-9]+}}({{.*}} : i64, f32) {loop_annotation = #[[KEPT]]}
func.func @powers(%a: !llvm.ptr<1>, %n: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %p = llvm.getelementptr %a[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %last:2 = scf.while (%k = %none, %x = %v) : (i64, f32) -> (i64, f32) {
      %more = arith.cmpi slt, %k, %n : i64
      scf.condition(%more) %k, %x : i64, f32
    } do {
    ^bb0(%k: i64, %x: f32):
      %y = arith.mulf %x, %v : f32
      %next = arith.addi %k, %one : i64
      scf.yield %next, %y : i64, f32
    }
    llvm.store %last#1, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}
