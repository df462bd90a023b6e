// passes/simd/prepare/JoinRemainders: a number that was split into a quotient and a remainder.
// RUN: kiln-opt %s %cpu_8 --wg-vectorize="max-interleave=1 force=true" | FileCheck %s

// A tile of eight columns: `hi * 8 + lo` is the number that was split, also after an addition.
// CHECK-LABEL: func.func @tile
// CHECK: lanes 8
// CHECK: %[[L:.*]] = ocl.query local_id
// CHECK-NOT: arith.andi
// CHECK: %[[P:.*]] = llvm.getelementptr %arg0[%[[L]]]
// CHECK: llvm.store {{.*}}, %[[P]] {{.*}} : vector<8xf32>
// CHECK: %[[S:.*]] = arith.addi %{{.*}} : i64
// CHECK: %[[Q:.*]] = llvm.getelementptr %arg0[%[[S]]]
// CHECK: llvm.store {{.*}}, %[[Q]] {{.*}} : vector<8xf32>
func.func @tile(%a: !llvm.ptr<1>, %s: i64, %v: f32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i64
  %seven = arith.constant 7 : i64
  %eight = arith.constant 8 : i64
  wg.parallel {
    %l = ocl.query local_id[%zero] : i64
    %hi = arith.shrsi %l, %three : i64
    %lo = arith.andi %l, %seven : i64
    %m = arith.muli %hi, %eight : i64
    %i = arith.addi %m, %lo : i64
    %p = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %v, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
    %n = arith.addi %s, %m : i64
    %j = arith.addi %n, %lo : i64
    %q = llvm.getelementptr %a[%j] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %v, %q {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// Another factor, and a signed quotient with low bits, which differ for negative numbers.
// CHECK-LABEL: func.func @others
// CHECK: lanes 8
// CHECK: arith.shrsi
// CHECK: arith.andi
// CHECK: arith.muli
// CHECK: arith.divsi
// CHECK: arith.muli
func.func @others(%a: !llvm.ptr<1>, %s: i64, %v: f32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i64
  %seven = arith.constant 7 : i64
  %eight = arith.constant 8 : i64
  %nine = arith.constant 9 : i64
  wg.parallel {
    %l = ocl.query local_id[%zero] : i64
    %x = arith.subi %l, %s : i64
    %hi = arith.shrsi %x, %three : i64
    %lo = arith.andi %x, %seven : i64
    %m = arith.muli %hi, %nine : i64
    %i = arith.addi %m, %lo : i64
    %p = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %v, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
    %d = arith.divsi %x, %eight : i64
    %k = arith.muli %d, %eight : i64
    %j = arith.addi %k, %lo : i64
    %q = llvm.getelementptr %a[%j] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %v, %q {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}
