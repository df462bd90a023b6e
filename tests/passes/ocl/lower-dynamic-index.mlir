// RUN: kiln-opt %s --ocl-lower-dynamic-index | FileCheck %s
// RUN: kiln-opt %s --ocl-lower-dynamic-index=lower-extracts=false | FileCheck %s --check-prefix=WRITES

// Each bit of the index halves the candidates; an unpaired component is kept for the next bit.
// CHECK-LABEL: func.func @read
// CHECK-SAME: %[[V:.*]]: vector<3xf32>, %[[AT:.*]]: index
// CHECK-DAG: %[[X:.*]] = vector.extract %[[V]][0]
// CHECK-DAG: %[[Y:.*]] = vector.extract %[[V]][1]
// CHECK-DAG: %[[Z:.*]] = vector.extract %[[V]][2]
// CHECK-DAG: %[[N:.*]] = arith.index_castui %[[AT]] : index to i32
// CHECK: %[[LOW:.*]] = arith.andi %[[N]], %c1_i32
// CHECK: %[[ODD:.*]] = arith.cmpi ne, %[[LOW]]
// CHECK: %[[XY:.*]] = arith.select %[[ODD]], %[[Y]], %[[X]] : f32
// CHECK: %[[HIGH:.*]] = arith.andi %[[N]], %c2_i32
// CHECK: %[[SECOND:.*]] = arith.cmpi ne, %[[HIGH]]
// CHECK: %[[R:.*]] = arith.select %[[SECOND]], %[[Z]], %[[XY]] : f32
// CHECK: return %[[R]]
// WRITES-LABEL: func.func @read
// WRITES: vector.extract %{{.*}}[%{{.*}}]
func.func @read(%v: vector<3xf32>, %at: index) -> f32 {
  %r = vector.extract %v[%at] : f32 from vector<3xf32>
  return %r : f32
}

// Indices are as wide as the elements.
// CHECK-LABEL: func.func @write
// CHECK-SAME: %[[V:.*]]: vector<4xf64>, %[[X:.*]]: f64, %[[AT:.*]]: index
// CHECK-DAG: %[[N:.*]] = arith.index_castui %[[AT]] : index to i64
// CHECK-DAG: %[[ALL:.*]] = vector.broadcast %[[N]] : i64 to vector<4xi64>
// CHECK-DAG: %[[PLACES:.*]] = arith.constant dense<[0, 1, 2, 3]> : vector<4xi64>
// CHECK: %[[IS:.*]] = arith.cmpi eq, %[[PLACES]], %[[ALL]]
// CHECK: %[[XS:.*]] = vector.broadcast %[[X]]
// CHECK: %[[R:.*]] = arith.select %[[IS]], %[[XS]], %[[V]]
// CHECK: return %[[R]]
// WRITES-LABEL: func.func @write
// WRITES-NOT: vector.insert
// WRITES: return
func.func @write(%v: vector<4xf64>, %x: f64, %at: index) -> vector<4xf64> {
  %r = vector.insert %x, %v[%at] : f64 into vector<4xf64>
  return %r : vector<4xf64>
}

// A constant index stays.
// CHECK-LABEL: func.func @known
// CHECK-NEXT: vector.extract %{{.*}}[2]
// CHECK-NEXT: vector.insert %{{.*}}, %{{.*}}[0]
func.func @known(%v: vector<4xi8>) -> vector<4xi8> {
  %x = vector.extract %v[2] : i8 from vector<4xi8>
  %r = vector.insert %x, %v[0] : i8 into vector<4xi8>
  return %r : vector<4xi8>
}
