// Each operation of the dialect is printed as it is parsed, also in the generic form.
// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --mlir-print-op-generic | kiln-opt | FileCheck %s

// CHECK-LABEL: func.func @slots
func.func @slots(%x: i32) {
  // CHECK: %[[S:.*]] = wg.slot : <i32>
  %s = wg.slot : !wg.slot<i32>
  // CHECK: %[[M:.*]] = wg.slot : <i1>
  %m = wg.slot : !wg.slot<i1>
  // CHECK: wg.parallel mask %[[M]] : !wg.slot<i1> {
  wg.parallel mask %m : !wg.slot<i1> {
    // CHECK: %[[V:.*]] = wg.load %[[S]] : <i32>
    %v = wg.load %s : !wg.slot<i32>
    // CHECK: wg.store %[[V]], %[[S]] : <i32>
    wg.store %v, %s : !wg.slot<i32>
    // CHECK: wg.address %[[S]] : <i32>
    %p = wg.address %s : !wg.slot<i32>
    // CHECK: wg.yield
    wg.yield
  }
  return
}

// CHECK-LABEL: func.func @vector_body
func.func @vector_body(%all: i1, %some: i1) {
  // CHECK: wg.parallel {
  wg.parallel {
    wg.yield
  // CHECK: } lanes 8 ids_fit_i32 {
  } lanes 8 ids_fit_i32 {
    // CHECK: wg.yield done %arg0 more %arg1
    wg.yield done %all more %some
  }
  // CHECK: wg.parallel along 2 {
  wg.parallel along 2 {
    wg.yield
  }
  // CHECK: wg.parallel jam 4 {
  wg.parallel jam 4 {
    wg.yield
  }
  return
}

// CHECK-LABEL: func.func @between_regions
func.func @between_regions(%item: i64) -> i32 {
  %s = wg.slot : !wg.slot<i32>
  %r = wg.slot : !wg.slot<i32>
  %m = wg.slot : !wg.slot<i1>
  // CHECK: wg.permute %{{.*}} of %{{.*}}, %{{.*}} : vector<8xi32>
  %lanes = arith.constant dense<0> : vector<8xi32>
  %selected = wg.permute %lanes of %lanes, %lanes : vector<8xi32>
  // CHECK: wg.any %{{.*}} : <i1>
  %any = wg.any %m : !wg.slot<i1>
  // CHECK: wg.read %{{.*}}[%arg0] : <i32>
  %one = wg.read %s[%item] : !wg.slot<i32>
  // CHECK: wg.reduce smax %{{.*}} mask %{{.*}} : <i32>, !wg.slot<i1>
  %largest = wg.reduce smax %s mask %m : !wg.slot<i32>, !wg.slot<i1>
  // CHECK: wg.combine inclusive_scan add width 16 %{{.*}}, %{{.*}} mask %{{.*}} : <i32>, !wg.slot<i1>
  wg.combine inclusive_scan add width 16 %s, %r mask %m : !wg.slot<i32>, !wg.slot<i1>
  // CHECK: wg.distinct_arguments
  %distinct = wg.distinct_arguments
  // CHECK: wg.assumption_report : !llvm.ptr
  %report = wg.assumption_report : !llvm.ptr
  return %largest : i32
}
