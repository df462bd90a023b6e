// RUN: kiln-opt %s --ocl-set-target=target=nvptx,sub_group_size=32 --gpu-lower-math | FileCheck %s --check-prefixes=CHECK,NV
// RUN: kiln-opt %s --ocl-set-target=target=amdgpu,sub_group_size=64 --gpu-lower-math | FileCheck %s --check-prefixes=CHECK,AMD

// One library call per vector component.
// CHECK-LABEL: @vector
// CHECK-COUNT-2: llvm.call @kiln.math.sin.f32(%{{.*}}) {{.*}} : (f32) -> f32
// CHECK-NOT: llvm.call
llvm.func @vector(%x: vector<2xf32>) -> vector<2xf32> {
  %y = ocl.math sin (%x) : (vector<2xf32>) -> vector<2xf32>
  llvm.return %y : vector<2xf32>
}

// CHECK-LABEL: @operands
// CHECK: llvm.call @kiln.math.pow.f64(%{{.*}}) {{.*}} : (f64, f64) -> f64
// CHECK: llvm.call @kiln.math.pown.f32(%{{.*}}) {{.*}} : (f32, i32) -> f32
// CHECK: llvm.call @kiln.math.rootn.f64(%{{.*}}) {{.*}} : (f64, i64) -> f64
// CHECK: llvm.call @kiln.math.fmod.f32(
llvm.func @operands(%x: f32, %d: f64, %n: i32) -> f32 {
  %a = ocl.math pow (%d, %d) : (f64, f64) -> f64
  %b = ocl.math pown (%x, %n) : (f32, i32) -> f32
  %c = ocl.math rootn (%a, %n) : (f64, i32) -> f64
  %e = arith.remf %x, %b : f32
  llvm.return %e : f32
}

// The hardware's functions of `native_` exceed the error bound of the others.
// CHECK-LABEL: @precisions
// NV: llvm.call_intrinsic "llvm.nvvm.sin.approx.f"
// AMD: llvm.intr.sin(%{{.*}}) {fastmathFlags = #llvm.fastmath<afn>}
// CHECK: llvm.call @kiln.math.fast.sin.f32(
// NV: llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"
// AMD: llvm.intr.exp2(
// CHECK: llvm.call @kiln.math.log.f32(
llvm.func @precisions(%x: f32) -> f32 {
  %a = ocl.math sin native (%x) : (f32) -> f32
  %b = ocl.math sin half (%a) : (f32) -> f32
  %c = ocl.math exp half (%b) : (f32) -> f32
  %d = ocl.math log (%c) : (f32) -> f32
  llvm.return %d : f32
}

// Unsafe math allows the error of the hardware's instructions in single precision.
// CHECK-LABEL: @unsafe
// NV: llvm.call_intrinsic "llvm.nvvm.lg2.approx.f"
// AMD: llvm.intr.log2(
// CHECK: llvm.call @kiln.math.log.f64(
llvm.func @unsafe(%x: f32, %d: f64) -> f32 {
  %a = ocl.math log (%x) {ocl.unsafe_math} : (f32) -> f32
  %b = ocl.math log (%d) {ocl.unsafe_math} : (f64) -> f64
  llvm.return %a : f32
}

// The sine and the cosine of one argument are one call, in either order. Other arguments and vectors have their own.
// CHECK-LABEL: @sine_and_cosine
// CHECK: %[[F:.*]] = llvm.call @kiln.math.sincos.f32(%[[X:.*]]) {{.*}} : (f32) -> vector<2xf32>
// CHECK: %[[S:.*]] = llvm.extractelement %[[F]]
// CHECK: %[[C:.*]] = llvm.extractelement %[[F]]
// CHECK: llvm.call @kiln.math.sincos.f64(%{{.*}}) {{.*}} : (f64) -> vector<2xf64>
// CHECK: llvm.call @kiln.math.cos.f32(%[[C]])
// CHECK-NOT: llvm.call
// CHECK: arith.addf %[[S]], %[[C]]
llvm.func @sine_and_cosine(%x: f32, %d: f64) -> f32 {
  %c = ocl.math cos (%x) : (f32) -> f32
  %s = ocl.math sin (%x) : (f32) -> f32
  %ds = ocl.math sin (%d) : (f64) -> f64
  %dc = ocl.math cos (%d) : (f64) -> f64
  %other = ocl.math cos (%c) : (f32) -> f32
  %sum = arith.addf %s, %c : f32
  llvm.return %sum : f32
}

// CHECK-LABEL: @scale
// CHECK: llvm.call_intrinsic "llvm.ldexp"(%{{.*}}, %{{.*}}) : (f64, i32) -> f64
llvm.func @scale(%x: f64, %n: i32) -> f64 {
  %y = ocl.math ldexp (%x, %n) : (f64, i32) -> f64
  llvm.return %y : f64
}

// CHECK-LABEL: @roots
// CHECK: math.sqrt %{{.*}} : f64
// NV: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"
// AMD: llvm.fdiv %{{.*}} {fastmathFlags = #llvm.fastmath<contract>}
llvm.func @roots(%x: f32, %d: f64) -> f32 {
  %a = ocl.math sqrt (%d) : (f64) -> f64
  %b = ocl.math rsqrt (%x) : (f32) -> f32
  llvm.return %b : f32
}

// Half precision is computed in single, with the hardware's logarithm. The root must be correctly rounded.
// CHECK-LABEL: @half
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: llvm.call @kiln.math.fast.tan.f32(
// CHECK: arith.truncf %{{.*}} : f32 to f16
// NV: llvm.call_intrinsic "llvm.nvvm.lg2.approx.f"
// AMD: llvm.intr.log2(
// CHECK: math.sqrt %{{.*}} : f16
llvm.func @half(%x: f16) -> f16 {
  %y = ocl.math tan (%x) : (f16) -> f16
  %z = ocl.math log (%y) : (f16) -> f16
  %w = ocl.math sqrt (%z) : (f16) -> f16
  llvm.return %w : f16
}

// CHECK-LABEL: @convert
// CHECK: llvm.call_intrinsic "llvm.fptosi.sat"
// CHECK-NOT: ocl.convert
llvm.func @convert(%x: f32) -> i32 {
  %y = ocl.convert rtz saturate %x : f32 -> i32
  llvm.return %y : i32
}

// NVIDIA's conversions round and saturate.
// CHECK-LABEL: @convert_rounding
// NV-COUNT-2: llvm.inline_asm {{.*}}"cvt.rni.sat.u8.f32 $0, $1;", "=r,f" %{{.*}} : (f32) -> i32
// NV-NOT: cvt.
// NV-NOT: llvm.fptosi
// AMD: math.roundeven
llvm.func @convert_rounding(%x: vector<2xf32>) -> vector<2xi8> {
  %y = ocl.convert rte saturate unsigned_out %x : vector<2xf32> -> vector<2xi8>
  llvm.return %y : vector<2xi8>
}

// CHECK-LABEL: @convert_down
// NV: llvm.inline_asm {{.*}}"cvt.rmi.sat.s32.f32 $0, $1;"
// AMD: math.floor
llvm.func @convert_down(%x: f32) -> i32 {
  %y = ocl.convert rtn %x : f32 -> i32
  llvm.return %y : i32
}

// CHECK-LABEL: @convert_to_short
// NV: llvm.inline_asm {{.*}}"cvt.rzi.sat.s16.f32 $0, $1;"
llvm.func @convert_to_short(%x: f32) -> i16 {
  %y = ocl.convert rtz saturate %x : f32 -> i16
  llvm.return %y : i16
}

// LLVM selects the instruction itself.
// CHECK-LABEL: @convert_to_zero
// CHECK: arith.fptosi
llvm.func @convert_to_zero(%x: f32) -> i32 {
  %y = ocl.convert rtz %x : f32 -> i32
  llvm.return %y : i32
}
