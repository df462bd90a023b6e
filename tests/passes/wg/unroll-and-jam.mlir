// RUN: kiln-opt %s --ocl-set-target=local-size=16,16,1 --wg-unroll-and-jam | FileCheck %s
// RUN: kiln-opt %s --ocl-set-target=local-size=16,6,1 --wg-unroll-and-jam | FileCheck %s --check-prefix=APART
// RUN: kiln-opt %s --ocl-set-target=local-size=16,4,2 --wg-unroll-and-jam | FileCheck %s --check-prefix=APART
// RUN: kiln-opt %s --wg-unroll-and-jam | FileCheck %s --check-prefix=APART
// APART-NOT: rows
// APART: func.func @copied

llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 4 : i64} : !llvm.array<16 x array<17 x f32>>

// Columns of a tile: one condition for all rows, and one per row.
// CHECK-LABEL: func.func @turned
// CHECK: wg.parallel jam 4 {
// CHECK: %[[WIDE:.*]] = ocl.query local_id[%c1_i32]
// CHECK: %[[Y:.*]] = arith.trunci %[[WIDE]]
// CHECK: %[[Y1:.*]] = arith.addi %[[Y]], %{{.*}} overflow<nsw, nuw> : i32
// CHECK: scf.if
// CHECK: %[[BOTH:.*]] = arith.andi
// CHECK: %[[THREE:.*]] = arith.andi %[[BOTH]]
// CHECK: %[[ALL:.*]] = arith.andi %[[THREE]]
// CHECK: scf.if %[[ALL]] {
// CHECK-COUNT-4: llvm.load
// CHECK-COUNT-4: llvm.store
// CHECK: } else {
// CHECK-COUNT-4: scf.if
func.func @turned(%to: !llvm.ptr<1>, %height: i32, %width: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
  wg.parallel {
    %x64 = ocl.query local_id[%zero] : i64
    %x = arith.trunci %x64 : i64 to i32
    %y64 = ocl.query local_id[%one] : i64
    %y = arith.trunci %y64 : i64 to i32
    %inX = arith.cmpi slt, %x, %height : i32
    scf.if %inX {
      %inY = arith.cmpi slt, %y, %width : i32
      scf.if %inY {
        %xi = arith.extsi %x : i32 to i64
        %yi = arith.extsi %y : i32 to i64
        %from = llvm.getelementptr inbounds %tile[0, %xi, %yi] : (!llvm.ptr<3>, i64, i64) -> !llvm.ptr<3>, !llvm.array<16 x array<17 x f32>>
        %v = llvm.load %from {alignment = 4 : i64} : !llvm.ptr<3> -> f32
        %start = arith.muli %y, %height overflow<nsw> : i32
        %at = arith.addi %start, %x overflow<nsw> : i32
        %place = llvm.getelementptr inbounds %to[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
        llvm.store %v, %place {alignment = 4 : i64} : f32, !llvm.ptr<1>
      }
    }
    wg.yield
  }
  return
}

// Rows of a tile stay: they are consecutive in x.
// CHECK-LABEL: func.func @copied
// CHECK: wg.parallel {
func.func @copied(%to: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
  wg.parallel {
    %x = ocl.query local_id[%zero] : i64
    %y = ocl.query local_id[%one] : i64
    %from = llvm.getelementptr inbounds %tile[0, %y, %x] : (!llvm.ptr<3>, i64, i64) -> !llvm.ptr<3>, !llvm.array<16 x array<17 x f32>>
    %v = llvm.load %from {alignment = 4 : i64} : !llvm.ptr<3> -> f32
    %place = llvm.getelementptr inbounds %to[%x] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %v, %place {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// An atomic operation makes the order of rows observable.
// CHECK-LABEL: func.func @counted
// CHECK: wg.parallel {
func.func @counted(%count: !llvm.ptr<1>, %to: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
  wg.parallel {
    %x = ocl.query local_id[%zero] : i64
    %y = ocl.query local_id[%one] : i64
    %from = llvm.getelementptr inbounds %tile[0, %x, %y] : (!llvm.ptr<3>, i64, i64) -> !llvm.ptr<3>, !llvm.array<16 x array<17 x f32>>
    %v = llvm.load %from {alignment = 4 : i64} : !llvm.ptr<3> -> f32
    %old = llvm.atomicrmw add %count, %one monotonic : !llvm.ptr<1>, i32
    %place = llvm.getelementptr inbounds %to[%old] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %v, %place {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// No access is consecutive in x: rows along y are better (simd/decide/RowDimension).
// CHECK-LABEL: func.func @column
// CHECK: wg.parallel {
func.func @column(%to: !llvm.ptr<1>, %width: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
  wg.parallel {
    %x = ocl.query local_id[%zero] : i64
    %y = ocl.query local_id[%one] : i64
    %from = llvm.getelementptr inbounds %tile[0, %x, %y] : (!llvm.ptr<3>, i64, i64) -> !llvm.ptr<3>, !llvm.array<16 x array<17 x f32>>
    %v = llvm.load %from {alignment = 4 : i64} : !llvm.ptr<3> -> f32
    %start = arith.muli %x, %width : i64
    %at = arith.addi %start, %y : i64
    %place = llvm.getelementptr inbounds %to[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %v, %place {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}
