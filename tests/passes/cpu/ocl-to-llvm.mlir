// RUN: kiln-opt %s --ocl-to-llvm | FileCheck %s
// Math functions become calls that the code generator links (passes/cpu/PureCall).

// CHECK-LABEL: @atomics
// CHECK: llvm.atomicrmw add %{{.*}}, %{{.*}} acq_rel {{.*}} : !llvm.ptr, i32
// CHECK: llvm.cmpxchg %{{.*}}, %{{.*}}, %{{.*}} acq_rel acquire {{.*}} : !llvm.ptr, i32
// CHECK: llvm.load %{{.*}} atomic acquire {alignment = 4
// CHECK: llvm.store %{{.*}}, %{{.*}} atomic release {alignment = 4
// CHECK: llvm.fence seq_cst
llvm.func @atomics(%arguments: !llvm.ptr, %launch: !llvm.ptr, %p: !llvm.ptr<1>, %v: i32) {
  %a = ocl.atomic_rmw add %p, %v acq_rel device : !llvm.ptr<1>, i32
  // The success order is strengthened to the failure order.
  %b = ocl.atomic_cmpxchg %p, %a, %v release acquire device : !llvm.ptr<1>, i32
  %c = ocl.atomic_load %p acquire device : !llvm.ptr<1> -> i32
  ocl.atomic_store %c, %p release device : i32, !llvm.ptr<1>
  ocl.fence seq_cst work_group "local|global"
  llvm.return
}

// A vector uses the narrowest instance that holds it.
// CHECK-LABEL: @vector_math
// CHECK: llvm.shufflevector {{.*}} [0, 1, -1, -1]
// CHECK: llvm.call @kiln.math.sin.f32x4
// CHECK: llvm.shufflevector {{.*}} [0, 1]
llvm.func @vector_math(%arguments: !llvm.ptr, %launch: !llvm.ptr, %x: vector<2xf32>) -> vector<2xf32> {
  %y = ocl.math sin (%x) : (vector<2xf32>) -> vector<2xf32>
  llvm.return %y : vector<2xf32>
}

// A vector wider than all instances uses several calls, whose integers are as wide as the numbers.
// CHECK-LABEL: @wide_math
// CHECK: arith.extsi {{.*}} vector<16xi32> to vector<16xi64>
// CHECK-COUNT-2: llvm.call @kiln.math.pown.f64x8
// CHECK-NOT: llvm.call
llvm.func @wide_math(%arguments: !llvm.ptr, %launch: !llvm.ptr, %x: vector<16xf64>, %n: vector<16xi32>) -> vector<16xf64> {
  %y = ocl.math pown (%x, %n) : (vector<16xf64>, vector<16xi32>) -> vector<16xf64>
  llvm.return %y : vector<16xf64>
}

// Three calls, whose results are joined in pairs: a shuffle has operands of one type.
// CHECK-LABEL: @three_parts
// CHECK-COUNT-3: llvm.call @kiln.math.sin.f64x8
// CHECK: llvm.shufflevector {{.*}} : vector<8xf64>
// CHECK: llvm.shufflevector {{.*}} : vector<16xf64>
llvm.func @three_parts(%arguments: !llvm.ptr, %launch: !llvm.ptr, %x: vector<24xf64>) -> vector<24xf64> {
  %y = ocl.math sin (%x) : (vector<24xf64>) -> vector<24xf64>
  llvm.return %y : vector<24xf64>
}

// Fast versions are used only for a precision below full, and only if the function has one.
// CHECK-LABEL: @fast_math
// CHECK: llvm.call @kiln.math.fast.sin.f32(
// CHECK: llvm.call @kiln.math.fast.cos.f32(
// CHECK: llvm.call @kiln.math.exp.f32(
// CHECK: llvm.call @kiln.math.sin.f64(
llvm.func @fast_math(%arguments: !llvm.ptr, %launch: !llvm.ptr, %x: f32, %d: f64) -> f64 {
  %a = ocl.math sin native (%x) : (f32) -> f32
  %b = ocl.math cos (%a) {ocl.unsafe_math} : (f32) -> f32
  %c = ocl.math exp native (%b) : (f32) -> f32
  %wide = arith.extf %c : f32 to f64
  %e = ocl.math sin (%d) {ocl.unsafe_math} : (f64) -> f64
  %f = arith.addf %e, %wide : f64
  llvm.return %f : f64
}

// Halves are computed in single precision.
// CHECK-LABEL: @half_math
// CHECK: arith.extf
// CHECK: llvm.call @kiln.math.exp.f32x4
// CHECK: arith.truncf
// CHECK-NOT: llvm.call
llvm.func @half_math(%arguments: !llvm.ptr, %launch: !llvm.ptr, %x: vector<4xf16>) -> vector<4xf16> {
  %y = ocl.math exp (%x) : (vector<4xf16>) -> vector<4xf16>
  llvm.return %y : vector<4xf16>
}

// A variable that has a function's name is renamed.
// CHECK: llvm.mlir.global {{.*}} @kiln.math.cbrt.f32_
llvm.mlir.global internal constant @kiln.math.cbrt.f32(1.0 : f32) : f32
// CHECK-LABEL: @taken_name
// CHECK: llvm.mlir.addressof @kiln.math.cbrt.f32_
// CHECK: llvm.call @kiln.math.cbrt.f32(
llvm.func @taken_name(%arguments: !llvm.ptr, %launch: !llvm.ptr) -> f32 {
  %p = llvm.mlir.addressof @kiln.math.cbrt.f32 : !llvm.ptr
  %x = llvm.load %p : !llvm.ptr -> f32
  %y = ocl.math cbrt (%x) : (f32) -> f32
  llvm.return %y : f32
}

// Functions that are one instruction need no call.
// CHECK-LABEL: @square_root
// CHECK: math.sqrt
llvm.func @square_root(%arguments: !llvm.ptr, %launch: !llvm.ptr, %x: vector<4xf32>) -> vector<4xf32> {
  %y = ocl.math sqrt (%x) : (vector<4xf32>) -> vector<4xf32>
  llvm.return %y : vector<4xf32>
}

// Out of range, a conversion without saturation returns some value, the same at every use.
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

// A narrow type: the value is clamped first, and the conversion rounds.
// CHECK-LABEL: @small_conversion
// CHECK: arith.cmpf ogt
// CHECK: arith.cmpf olt
// CHECK-NOT: roundeven
// CHECK: llvm.intr.lrint(%{{.*}}) : (vector<4xf32>) -> vector<4xi32>
// CHECK: arith.trunci
llvm.func @small_conversion(%arguments: !llvm.ptr, %launch: !llvm.ptr, %x: vector<4xf32>) -> vector<4xi8> {
  %a = ocl.convert rte saturate unsigned_out %x : vector<4xf32> -> vector<4xi8>
  llvm.return %a : vector<4xi8>
}

// One thread runs the whole group: nothing executes between the load and the store.
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

// passes/cpu/HalfLowering: rounding in single precision is exact, fma is computed in double; a minimum is a
// comparison, because LLVM would narrow a minimum of wider numbers.
// CHECK-LABEL: llvm.func @halves
// CHECK: %[[X:.*]] = arith.extf %[[A:.*]] : f16 to f32
// CHECK: %[[UP:.*]] = math.ceil %[[X]] : f32
// CHECK: %[[C:.*]] = arith.truncf %[[UP]] : f32 to f16
// CHECK: %[[PRODUCT:.*]] = arith.mulf %{{.*}}, %{{.*}} : f64
// CHECK: %[[SUM:.*]] = arith.addf %[[PRODUCT]], %{{.*}} : f64
// CHECK: %[[F:.*]] = arith.truncf %[[SUM]] : f64 to f16
// CHECK-NOT: minnumf
// CHECK: %[[LESS:.*]] = arith.cmpf olt, %[[F]], %[[C]] : f16
// CHECK: %[[NONE:.*]] = arith.cmpf uno, %[[C]], %[[C]] : f16
// CHECK: %[[TAKES:.*]] = arith.ori %[[LESS]], %[[NONE]]
// CHECK: %[[R:.*]] = arith.select %[[TAKES]], %[[F]], %[[C]] : f16
// CHECK: llvm.return %[[R]]
llvm.func @halves(%a: f16, %b: f16) -> f16 {
  %c = math.ceil %a : f16
  %f = math.fma %a, %b, %c : f16
  %m = arith.minnumf %c, %f : f16
  llvm.return %m : f16
}

// The code generator has the instructions.
// CHECK-LABEL: @permute
// CHECK: llvm.call @kiln.permute.i32x8(%arg2, %arg3, %arg4) {{.*}} : (vector<8xi32>, vector<8xi32>, vector<8xi32>) -> vector<8xi32>
llvm.func @permute(%arguments: !llvm.ptr, %launch: !llvm.ptr, %i: vector<8xi32>, %a: vector<8xi32>, %b: vector<8xi32>) -> vector<8xi32> {
  %r = wg.permute %i of %a, %b : vector<8xi32>
  llvm.return %r : vector<8xi32>
}
