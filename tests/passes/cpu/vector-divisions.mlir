// RUN: kiln-opt %s --ocl-to-llvm | FileCheck %s

// passes/cpu/DivisionLowering: divisions of integer vectors by floating-point numbers.

// CHECK-LABEL: func.func @by_vector
// CHECK: %[[A:.*]] = arith.sitofp %arg0 : vector<16xi32> to vector<16xf64>
// CHECK: %[[D:.*]] = arith.sitofp %arg1 : vector<16xi32> to vector<16xf64>
// CHECK: %[[R:.*]] = arith.divf %[[A]], %[[D]] : vector<16xf64>
// CHECK: arith.fptosi %[[R]] : vector<16xf64> to vector<16xi32>
func.func @by_vector(%a: vector<16xi32>, %d: vector<16xi32>) -> vector<16xi32> {
  %q = arith.divsi %a, %d : vector<16xi32>
  return %q : vector<16xi32>
}

// The divisor is the same in all lanes: one scalar division. 16 bits are exact in single precision.
// CHECK-LABEL: func.func @by_scalar
// CHECK: %[[D:.*]] = arith.uitofp %arg1 : i16 to f32
// CHECK: %[[I:.*]] = arith.divf %{{.*}}, %[[D]] : f32
// CHECK: %[[R:.*]] = arith.mulf %[[I]], %{{.*}} : f32
// CHECK: %[[V:.*]] = vector.broadcast %[[R]] : f32 to vector<8xf32>
// CHECK: %[[P:.*]] = arith.mulf %{{.*}}, %[[V]] : vector<8xf32>
// CHECK: %[[Q:.*]] = arith.fptoui %[[P]] : vector<8xf32> to vector<8xi16>
// CHECK: %[[M:.*]] = arith.muli %[[Q]], %{{.*}} : vector<8xi16>
// CHECK: arith.subi %arg0, %[[M]] : vector<8xi16>
func.func @by_scalar(%a: vector<8xi16>, %d: i16) -> vector<8xi16> {
  %v = vector.broadcast %d : i16 to vector<8xi16>
  %r = arith.remui %a, %v : vector<8xi16>
  return %r : vector<8xi16>
}

// LLVM multiplies by the inverse of a constant. 64 bits are exact in no floating-point number.
// CHECK-LABEL: func.func @others
// CHECK: arith.divui {{.*}} : vector<8xi32>
// CHECK: arith.divui {{.*}} : vector<8xi64>
// CHECK: arith.divui {{.*}} : vector<2xi32>
// CHECK: arith.divui {{.*}} : i32
func.func @others(%a: vector<8xi32>, %b: vector<8xi64>, %d: vector<8xi64>, %s: vector<2xi32>, %t: vector<2xi32>, %x: i32,
                  %y: i32) -> (vector<8xi32>, vector<8xi64>, vector<2xi32>, i32) {
  %seven = arith.constant dense<7> : vector<8xi32>
  %0 = arith.divui %a, %seven : vector<8xi32>
  %1 = arith.divui %b, %d : vector<8xi64>
  %2 = arith.divui %s, %t : vector<2xi32>
  %3 = arith.divui %x, %y : i32
  return %0, %1, %2, %3 : vector<8xi32>, vector<8xi64>, vector<2xi32>, i32
}
