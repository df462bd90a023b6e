// RUN: kiln-opt %s --gpu-lower-math=target=nvptx | FileCheck %s --check-prefixes=CHECK,NV
// RUN: kiln-opt %s --gpu-lower-math=target=amdgpu | FileCheck %s --check-prefixes=CHECK,AMD

// One library call per vector component.
// CHECK-LABEL: @vector
// CHECK-COUNT-2: llvm.call @__kiln_sinf(%{{.*}}) {{.*}} : (f32) -> f32
// CHECK-NOT: llvm.call
llvm.func @vector(%x: vector<2xf32>) -> vector<2xf32> {
  %y = ocl.math sin (%x) : (vector<2xf32>) -> vector<2xf32>
  llvm.return %y : vector<2xf32>
}

// CHECK-LABEL: @operands
// CHECK: llvm.call @__kiln_pow(%{{.*}}) {{.*}} : (f64, f64) -> f64
// CHECK: llvm.call @__kiln_pownf(%{{.*}}) {{.*}} : (f32, i32) -> f32
// CHECK: llvm.call @__kiln_fmodf(
llvm.func @operands(%x: f32, %d: f64, %n: i32) -> f32 {
  %a = ocl.math pow (%d, %d) : (f64, f64) -> f64
  %b = ocl.math pown (%x, %n) : (f32, i32) -> f32
  %e = arith.remf %x, %b : f32
  llvm.return %e : f32
}

// The hardware's functions of `native_` exceed the error bound of the others.
// CHECK-LABEL: @precisions
// NV: llvm.call_intrinsic "llvm.nvvm.sin.approx.f"
// AMD: llvm.intr.sin(%{{.*}}) {fastmathFlags = #llvm.fastmath<afn>}
// CHECK: llvm.call @__kiln_sinf(
// NV: llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"
// AMD: llvm.intr.exp2(
// CHECK: llvm.call @__kiln_logf(
llvm.func @precisions(%x: f32) -> f32 {
  %a = ocl.math sin native (%x) : (f32) -> f32
  %b = ocl.math sin half (%a) : (f32) -> f32
  %c = ocl.math exp half (%b) : (f32) -> f32
  %d = ocl.math log (%c) : (f32) -> f32
  llvm.return %d : f32
}

// The library's exponential flushes small results: expanded with two powers of two, of which only the second rounds.
// CHECK-LABEL: @exponential
// CHECK: math.roundeven
// CHECK-COUNT-2: math.fma
// NV: llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"
// AMD: llvm.intr.exp2(
// CHECK-COUNT-2: arith.bitcast %{{.*}} : i32 to f32
// CHECK-NOT: llvm.call @
llvm.func @exponential(%x: f32) -> f32 {
  %y = ocl.math exp (%x) : (f32) -> f32
  llvm.return %y : f32
}

// The library's double-precision function replaces an inaccurate single-precision function.
// CHECK-LABEL: @in_double
// CHECK: arith.extf %{{.*}} : f32 to f64
// CHECK: llvm.call @__kiln_erfc(%{{.*}}) {{.*}} : (f64) -> f64
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK: llvm.call @__kiln_rootn(%{{.*}}, %{{.*}}) {{.*}} : (f64, i32) -> f64
llvm.func @in_double(%x: f32, %n: i32) -> f32 {
  %a = ocl.math erfc (%x) : (f32) -> f32
  %b = ocl.math rootn (%a, %n) : (f32, i32) -> f32
  llvm.return %b : f32
}

// The exponent of a double's power is clamped; infinity is kept.
// CHECK-LABEL: @huge_exponent
// CHECK: arith.minnumf
// CHECK: math.copysign
// CHECK: %[[Y:.*]] = arith.select
// CHECK: llvm.call @__kiln_pow(%{{.*}}, %[[Y]])
llvm.func @huge_exponent(%x: f64, %y: f64) -> f64 {
  %z = ocl.math pow (%x, %y) : (f64, f64) -> f64
  llvm.return %z : f64
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

// Half precision is computed in single.
// CHECK-LABEL: @half
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: llvm.call @__kiln_tanf(
// CHECK: arith.truncf %{{.*}} : f32 to f16
llvm.func @half(%x: f16) -> f16 {
  %y = ocl.math tan (%x) : (f16) -> f16
  llvm.return %y : f16
}

// CHECK-LABEL: @convert
// CHECK: llvm.call_intrinsic "llvm.fptosi.sat"
// CHECK-NOT: ocl.convert
llvm.func @convert(%x: f32) -> i32 {
  %y = ocl.convert rtz saturate %x : f32 -> i32
  llvm.return %y : i32
}
