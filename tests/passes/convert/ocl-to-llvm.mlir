// RUN: kiln-opt %s --ocl-to-llvm | FileCheck %s

// CHECK-LABEL: @atomics
// CHECK: llvm.atomicrmw add %{{.*}}, %{{.*}} acq_rel {{.*}} : !llvm.ptr, i32
// CHECK: llvm.cmpxchg %{{.*}}, %{{.*}}, %{{.*}} acq_rel acquire {{.*}} : !llvm.ptr, i32
// CHECK: llvm.load %{{.*}} atomic acquire {alignment = 4
// CHECK: llvm.store %{{.*}}, %{{.*}} atomic release {alignment = 4
// CHECK: llvm.fence seq_cst
llvm.func @atomics(%arguments: !llvm.ptr, %launch: !llvm.ptr, %p: !llvm.ptr<1>, %v: i32) {
  %a = ocl.atomic_rmw add %p, %v acq_rel device : !llvm.ptr<1>, i32
  // A failure order that success lacks is added to it.
  %b = ocl.atomic_cmpxchg %p, %a, %v release acquire device : !llvm.ptr<1>, i32
  %c = ocl.atomic_load %p acquire device : !llvm.ptr<1> -> i32
  ocl.atomic_store %c, %p release device : i32, !llvm.ptr<1>
  ocl.fence seq_cst work_group "local|global"
  llvm.return
}

// A vector goes one component after the other through the table of services.
// CHECK-LABEL: @vector_math
// CHECK-COUNT-2: llvm.call %{{.*}}(%{{.*}}) {{.*}} : !llvm.ptr, (f32) -> f32
// CHECK-NOT: llvm.call
llvm.func @vector_math(%arguments: !llvm.ptr, %launch: !llvm.ptr, %x: vector<2xf32>) -> vector<2xf32> {
  %y = ocl.math sin (%x) : (vector<2xf32>) -> vector<2xf32>
  llvm.return %y : vector<2xf32>
}

// What the processor can do itself needs no call.
// CHECK-LABEL: @square_root
// CHECK: math.sqrt
llvm.func @square_root(%arguments: !llvm.ptr, %launch: !llvm.ptr, %x: vector<4xf32>) -> vector<4xf32> {
  %y = ocl.math sqrt (%x) : (vector<4xf32>) -> vector<4xf32>
  llvm.return %y : vector<4xf32>
}

// Out of range, a plain conversion gives some value, the same at every use.
// CHECK-LABEL: @conversions
// CHECK: llvm.freeze
// CHECK: llvm.call_intrinsic "llvm.fptosi.sat"
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: arith.trunci
llvm.func @conversions(%arguments: !llvm.ptr, %launch: !llvm.ptr, %x: f32, %i: i32) -> i8 {
  %a = ocl.convert rtz %x : f32 -> i32
  %b = ocl.convert rte saturate %x : f32 -> i32
  %c = ocl.convert rte saturate %i : i32 -> i8
  llvm.return %c : i8
}

// One thread runs the whole group: nobody gets between the load and the store.
// CHECK-LABEL: @local_atomic
// CHECK-NOT: llvm.atomicrmw
// CHECK: llvm.load
// CHECK: arith.addi
// CHECK: llvm.store
// CHECK: arith.select
// CHECK-NOT: llvm.cmpxchg
llvm.func @local_atomic(%arguments: !llvm.ptr, %launch: !llvm.ptr, %p: !llvm.ptr<3>, %v: i32) {
  %a = ocl.atomic_rmw add %p, %v seq_cst device : !llvm.ptr<3>, i32
  %b = ocl.atomic_cmpxchg %p, %a, %v seq_cst seq_cst work_group : !llvm.ptr<3>, i32
  llvm.return
}
