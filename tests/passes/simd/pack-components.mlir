// RUN: kiln-opt %s %cpu_8 --wg-vectorize=max-interleave=1 | FileCheck %s

// Four bytes of a pixel that were truncated from 32-bit values are packed by shifts and ors.
// CHECK-LABEL: func.func @pixel
// CHECK: lanes 8
// CHECK: arith.extui %{{.*}} : vector<8xi8> to vector<8xi32>
// CHECK-COUNT-3: arith.ori %{{.*}} : vector<8xi32>
// CHECK: llvm.store %{{.*}} : vector<8xi32>
func.func @pixel(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %p = llvm.getelementptr %a[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<4xf32>
    %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
    %bytes = ocl.convert rte saturate unsigned_out %v : vector<4xf32> -> vector<4xi8>
    %word = vector.bitcast %bytes : vector<4xi8> to vector<1xi32>
    %one = vector.extract %word[0] : i32 from vector<1xi32>
    %q = llvm.getelementptr %b[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    llvm.store %one, %q {alignment = 4 : i64} : i32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// Bytes that were loaded as bytes are shuffled.
// CHECK-LABEL: func.func @bytes
// CHECK: lanes 8
// CHECK-NOT: arith.ori
// CHECK: return
func.func @bytes(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %g = ocl.query global_id[%zero] : i64
    %p = llvm.getelementptr %a[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, vector<4xi8>
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> vector<4xi8>
    %w = arith.muli %v, %v : vector<4xi8>
    %turned = vector.shuffle %w, %w [3, 2, 1, 0] : vector<4xi8>, vector<4xi8>
    %word = vector.bitcast %turned : vector<4xi8> to vector<1xi32>
    %one = vector.extract %word[0] : i32 from vector<1xi32>
    %q = llvm.getelementptr %b[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    llvm.store %one, %q {alignment = 4 : i64} : i32, !llvm.ptr<1>
    wg.yield
  }
  return
}
