// RUN: kiln-opt %s "--ocl-set-target=target=cpu,machine_width=8,register_bits=256,vector_registers=16,features=[fma,half_arithmetic]" --cpu-fuse-multiply-add | FileCheck %s --check-prefixes=CHECK,HALF
// RUN: kiln-opt %s "--ocl-set-target=target=cpu,machine_width=8,register_bits=256,vector_registers=16,features=[fma]" --cpu-fuse-multiply-add | FileCheck %s --check-prefixes=CHECK,SINGLE
// RUN: kiln-opt %s %cpu_8 --cpu-fuse-multiply-add | FileCheck %s --check-prefix=NONE

// NONE-NOT: math.fma
// NONE-NOT: contract

// CHECK-LABEL: func.func @sums
// CHECK-SAME: %[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32
// CHECK: %[[SUM:.*]] = math.fma %[[A]], %[[B]], %[[C]] : f32
// CHECK: %[[MINUS:.*]] = arith.negf %[[C]] : f32
// CHECK: %[[LESS:.*]] = math.fma %[[A]], %[[B]], %[[MINUS]] : f32
// CHECK: %[[MINUS_A:.*]] = arith.negf %[[A]] : f32
// CHECK: %[[REST:.*]] = math.fma %[[MINUS_A]], %[[B]], %[[C]] : f32
// CHECK: return %[[SUM]], %[[LESS]], %[[REST]]
func.func @sums(%a: f32, %b: f32, %c: f32) -> (f32, f32, f32) {
  %p = arith.mulf %a, %b fastmath<contract> : f32
  %sum = arith.addf %c, %p fastmath<contract> : f32
  %q = arith.mulf %a, %b fastmath<contract> : f32
  %less = arith.subf %q, %c fastmath<contract> : f32
  %r = arith.mulf %a, %b fastmath<contract> : f32
  %rest = arith.subf %c, %r fastmath<contract> : f32
  return %sum, %less, %rest : f32, f32, f32
}

// Of two products the left one. The flag of the other goes, so that no later pass chooses again.
// CHECK-LABEL: func.func @two
// CHECK: %[[OTHER:.*]] = arith.mulf %{{.*}}, %{{.*}} fastmath<nnan> : vector<2xf64>
// CHECK: math.fma %{{.*}}, %{{.*}}, %[[OTHER]] fastmath<nnan> : vector<2xf64>
func.func @two(%a: vector<2xf64>, %b: vector<2xf64>) -> vector<2xf64> {
  %p = arith.mulf %a, %a fastmath<nnan,contract> : vector<2xf64>
  %q = arith.mulf %b, %b fastmath<nnan,contract> : vector<2xf64>
  %sum = arith.addf %p, %q fastmath<nnan,contract> : vector<2xf64>
  return %sum : vector<2xf64>
}

// A product with other uses stays, and so does one of which an operation must round.
// CHECK-LABEL: func.func @kept
// CHECK-NOT: math.fma
// CHECK-NOT: contract
func.func @kept(%a: f32, %b: f32) -> (f32, f32, f32) {
  %p = arith.mulf %a, %b fastmath<contract> : f32
  %sum = arith.addf %p, %a fastmath<contract> : f32
  %q = arith.mulf %a, %b : f32
  %rounded = arith.addf %q, %a fastmath<contract> : f32
  return %sum, %p, %rounded : f32, f32, f32
}

// CHECK-LABEL: func.func @halves
// HALF: math.fma {{.*}} : f16
// SINGLE: arith.mulf {{.*}} : f16
// SINGLE: arith.addf {{.*}} : f16
func.func @halves(%a: f16, %b: f16, %c: f16) -> f16 {
  %p = arith.mulf %a, %b fastmath<contract> : f16
  %sum = arith.addf %p, %c fastmath<contract> : f16
  return %sum : f16
}
