// passes/target/CpuTargetInfo: processors whose gathers were measured to be faster than scalar loads.
// RUN: kiln-opt %s --ocl-set-target='target=cpu,chip="emeraldrapids",machine_width=8,register_bits=256,vector_registers=16' --wg-vectorize=max-interleave=1 | FileCheck %s
// RUN: kiln-opt %s %cpu_8 --wg-vectorize=max-interleave=1 | FileCheck %s --check-prefix=LANES

// An index from memory. Bytes have no gathers.
// CHECK-LABEL: func.func @look_up
// CHECK: lanes 8
// CHECK: llvm.intr.masked.gather %{{.*}}, %{{.*}} {alignment = 4 : i32} : (vector<8x!llvm.ptr<1>>, vector<8xi1>) -> vector<8xf32>
// CHECK-COUNT-8: llvm.load %{{.*}} -> i8
// LANES-LABEL: func.func @look_up
// LANES: lanes 8
// LANES-NOT: gather
// LANES-COUNT-8: llvm.load %{{.*}} -> f32
func.func @look_up(%index: !llvm.ptr<1>, %table: !llvm.ptr<1>, %bytes: !llvm.ptr<1>, %to: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %l = ocl.query local_id[%zero] : i64
    %p = llvm.getelementptr %index[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %i = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %q = llvm.getelementptr %table[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %v = llvm.load %q {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %r = llvm.getelementptr %bytes[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8
    %b = llvm.load %r {alignment = 1 : i64} : !llvm.ptr<1> -> i8
    %f = arith.uitofp %b : i8 to f32
    %a = arith.addf %v, %f : f32
    %m = arith.mulf %a, %a : f32
    %n = arith.mulf %m, %a : f32
    %o = arith.mulf %n, %m : f32
    %s = llvm.getelementptr %to[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %o, %s {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}
