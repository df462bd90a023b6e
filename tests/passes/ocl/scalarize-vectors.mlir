// RUN: kiln-opt %s --ocl-scalarize-vectors --canonicalize | FileCheck %s

// A coordinate's components are computed as scalars, through all operations that lead to them.
// CHECK-LABEL: func.func @coordinate
// CHECK-NOT: vector<
// CHECK: %[[Y:.*]] = arith.addi %arg1, %{{.*}} overflow<nsw> : i32
// CHECK: %[[F:.*]] = arith.sitofp %[[Y]] : i32 to f32
// CHECK: return %[[F]]
func.func @coordinate(%x: i32, %y: i32) -> f32 {
  %c = arith.constant dense<[1, 2]> : vector<2xi32>
  %v = vector.from_elements %x, %y : vector<2xi32>
  %w = arith.addi %v, %c overflow<nsw> : vector<2xi32>
  %f = arith.sitofp %w : vector<2xi32> to vector<2xf32>
  %r = vector.extract %f[1] : f32 from vector<2xf32>
  return %r : f32
}

// A use of the whole vector keeps the vector.
// CHECK-LABEL: func.func @stored
// CHECK: arith.addi %{{.*}} : vector<2xi32>
func.func @stored(%v: vector<2xi32>, %p: !llvm.ptr<1>) -> i32 {
  %w = arith.addi %v, %v : vector<2xi32>
  llvm.store %w, %p : vector<2xi32>, !llvm.ptr<1>
  %r = vector.extract %w[0] : i32 from vector<2xi32>
  return %r : i32
}

// Four floats stay one instruction; four integers are scalarized.
// CHECK-LABEL: func.func @four
// CHECK: arith.addf %{{.*}} : vector<4xf32>
// CHECK: arith.addi %{{.*}} : i32
func.func @four(%a: vector<4xf32>, %b: vector<4xi32>) -> (f32, i32) {
  %c = arith.addf %a, %a : vector<4xf32>
  %d = arith.addi %b, %b : vector<4xi32>
  %x = vector.extract %c[0] : f32 from vector<4xf32>
  %y = vector.extract %d[3] : i32 from vector<4xi32>
  return %x, %y : f32, i32
}

// A select with a scalar condition becomes one select per component.
// CHECK-LABEL: func.func @chosen
// CHECK: arith.select %arg0, %{{.*}}, %{{.*}} : f32
func.func @chosen(%c: i1, %a: vector<2xf32>, %b: vector<2xf32>) -> f32 {
  %s = arith.select %c, %a, %b : vector<2xf32>
  %r = vector.extract %s[0] : f32 from vector<2xf32>
  return %r : f32
}
