// passes/simd/emit/SpannedAccesses: accesses whose stride is a few elements.
// RUN: kiln-opt %s %cpu_8 --wg-vectorize="max-interleave=1 force=true" | FileCheck %s
// RUN: kiln-opt %s --ocl-set-target='target=cpu,machine_width=8,register_bits=256,vector_registers=32,features=[mask_registers]' --wg-vectorize="max-interleave=1 force=true" | FileCheck %s --check-prefix=MASKS

// Every second element: two vectors, of which the last one ends at the last lane's element. A store to global memory
// leaves the elements between unchanged, so it needs masks. An array from its end is one vector, reversed.
// CHECK-LABEL: func.func @spread
// CHECK: lanes 8
// CHECK: llvm.load {{.*}} -> vector<8xf32>
// CHECK: llvm.getelementptr {{.*}} -> !llvm.ptr<1>, i8
// CHECK: %[[LAST:.*]] = llvm.load {{.*}} -> vector<8xf32>
// CHECK: llvm.shufflevector %{{.*}}, %[[LAST]] [0, 2, 4, 6, 9, 11, 13, 15]
// CHECK: llvm.load {{.*}} -> vector<8xf32>
// CHECK: llvm.shufflevector {{.*}} [7, 6, 5, 4, 3, 2, 1, 0]
// CHECK-COUNT-8: llvm.store {{.*}} : f32
// MASKS-LABEL: func.func @spread
// MASKS: lanes 8
// MASKS-COUNT-2: llvm.intr.masked.store {{.*}} : vector<8xf32>, vector<8xi1>
// MASKS-NOT: llvm.store {{.*}} : f32
func.func @spread(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i64
  %end = arith.constant 4095 : i64
  wg.parallel {
    %l = ocl.query local_id[%zero] : i64
    %d = arith.muli %l, %two : i64
    %p = llvm.getelementptr %a[%d] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %m = arith.subi %end, %l : i64
    %q = llvm.getelementptr %a[%m] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %w = llvm.load %q {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %s = arith.addf %v, %w : f32
    %r = llvm.getelementptr %b[%d] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %s, %r {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// In local memory the elements between are loaded and stored. Both elements of a work-item are a group: one vector of
// all lanes' pairs.
// CHECK-LABEL: func.func @tree
// CHECK: lanes 8
// CHECK: llvm.load {{.*}} -> vector<16xi32>
// CHECK: %[[OLD:.*]] = llvm.load {{.*}} -> vector<8xi32>
// CHECK: %[[FIRST:.*]] = llvm.shufflevector %[[SUM:.*]], %[[OLD]] [0, 9, 1, 11, 2, 13, 3, 15]
// CHECK: %[[OLD:.*]] = llvm.load {{.*}} -> vector<8xi32>
// CHECK: %[[SECOND:.*]] = llvm.shufflevector %[[SUM]], %[[OLD]] [8, 4, 10, 5, 12, 6, 14, 7]
// CHECK: llvm.store %[[FIRST]]
// CHECK: llvm.store %[[SECOND]]
func.func @tree(%t: !llvm.ptr<3>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  wg.parallel {
    %l = ocl.query local_id[%zero] : i64
    %n = arith.trunci %l : i64 to i32
    %d = arith.muli %n, %two overflow<nsw> : i32
    %e = arith.addi %d, %one : i32
    %i = arith.extsi %d : i32 to i64
    %j = arith.extsi %e : i32 to i64
    %p = llvm.getelementptr %t[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
    %q = llvm.getelementptr %t[%j] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<3> -> i32
    %w = llvm.load %q {alignment = 4 : i64} : !llvm.ptr<3> -> i32
    %s = arith.addi %v, %w : i32
    llvm.store %s, %q {alignment = 4 : i64} : i32, !llvm.ptr<3>
    wg.yield
  }
  return
}

// Under a mask the memory of the first or of the last lane may not exist.
// CHECK-LABEL: func.func @masked
// CHECK: lanes 8
// CHECK: scf.if
// CHECK-COUNT-2: llvm.load {{.*}} -> vector<8xi32>
// CHECK: } else {
// CHECK-NOT: llvm.load {{.*}} -> vector<8xi32>
// CHECK: return
func.func @masked(%a: !llvm.ptr<1>, %n: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i64
  wg.parallel {
    %l = ocl.query local_id[%zero] : i64
    %d = arith.muli %l, %two : i64
    %o = arith.xori %l, %n : i64
    %is = arith.cmpi ult, %o, %n : i64
    scf.if %is {
      %p = llvm.getelementptr %a[%d] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
      %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> i32
      %w = arith.addi %v, %v : i32
      llvm.store %w, %p {alignment = 4 : i64} : i32, !llvm.ptr<1>
    }
    wg.yield
  }
  return
}
