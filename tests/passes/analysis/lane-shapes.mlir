// passes/analysis/LaneShapes: which values are uniform or strided across the lanes of a vector.
// RUN: kiln-opt %s --load-pass-plugin=%kiln_lib/libTestLaneShapes.so --pass-pipeline="builtin.module(test-lane-shapes)" | FileCheck %s
// RUN: kiln-opt %s --load-pass-plugin=%kiln_lib/libTestLaneShapes.so --pass-pipeline="builtin.module(test-lane-shapes{ids-fit=true})" | FileCheck %s --check-prefix=FIT
// RUN: kiln-opt %s --load-pass-plugin=%kiln_lib/libTestLaneShapes.so --pass-pipeline="builtin.module(test-lane-shapes{optimistic=true})" | FileCheck %s --check-prefix=TILE

// Ids rise along dimension 0 only. With the assumption a global id fits 31 bits, so its low half does not wrap.
// CHECK-LABEL: @queries
// CHECK: ocl.query local_id[%{{.*}}] {lane_shape = "stride 1
// CHECK: ocl.query local_id[%{{.*}}] {lane_shape = "uniform
// CHECK: ocl.query global_id[%{{.*}}] {lane_shape = "stride 1
// CHECK: arith.trunci %{{.*}} {lane_shape = "stride 1, wraps
// FIT-LABEL: @queries
// FIT: ocl.query global_id[%{{.*}}] {lane_shape = "stride 1, max 2147483647"}
// FIT: arith.trunci %{{.*}} {lane_shape = "stride 1, max 2147483647"}
func.func @queries(%a: !llvm.ptr<1>) attributes {ocl.kernel} {
  %x = arith.constant 0 : i32
  %y = arith.constant 1 : i32
  wg.parallel {
    %l = ocl.query local_id[%x] : i64
    %r = ocl.query local_id[%y] : i64
    %g = ocl.query global_id[%x] : i64
    %n = arith.trunci %g : i64 to i32
    wg.yield
  }
  return
}

// In a region whose rows are along another dimension, that one's ids rise.
// CHECK-LABEL: @along_y
// CHECK: ocl.query local_id[%{{.*}}] {lane_shape = "uniform
// CHECK: ocl.query global_id[%{{.*}}] {lane_shape = "stride 1
// CHECK: ocl.linear_query global_linear_id {lane_shape = "varying"}
func.func @along_y() attributes {ocl.kernel} {
  %x = arith.constant 0 : i32
  %y = arith.constant 1 : i32
  wg.parallel along 1 {
    %l = ocl.query local_id[%x] : i64
    %r = ocl.query global_id[%y] : i64
    %g = ocl.linear_query global_linear_id : i64
    wg.yield
  }
  return
}

// A multiple of a strided value is strided; a product of two is not. A sum of strided and uniform is strided.
// CHECK-LABEL: @arithmetic
// CHECK: arith.muli %{{.*}}, %{{.*}} {lane_shape = "stride 12
// CHECK: arith.muli %{{.*}}, %{{.*}} {lane_shape = "varying"}
// CHECK: arith.addi %{{.*}}, %{{.*}} {lane_shape = "stride 1
// CHECK: arith.subi %{{.*}}, %{{.*}} {lane_shape = "uniform
// CHECK: arith.muli %{{.*}}, %{{.*}} {lane_shape = "varying"}
func.func @arithmetic(%s: i64) attributes {ocl.kernel} {
  %x = arith.constant 0 : i32
  %twelve = arith.constant 12 : i64
  wg.parallel {
    %l = ocl.query local_id[%x] : i64
    %a = arith.muli %l, %twelve : i64
    %b = arith.muli %l, %l : i64
    %c = arith.addi %l, %s : i64
    %d = arith.subi %l, %l : i64
    %e = arith.muli %l, %s : i64
    wg.yield
  }
  return
}

// Addresses count bytes. A load from a uniform address is uniform, any other varies.
// CHECK-LABEL: @memory
// CHECK: llvm.getelementptr %{{.*}}[%{{.*}}] {lane_shape = "stride 4
// CHECK: llvm.load %{{.*}} {lane_shape = "varying"}
// CHECK: llvm.load %{{.*}} {lane_shape = "uniform"}
func.func @memory(%p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %x = arith.constant 0 : i32
  wg.parallel {
    %g = ocl.query global_id[%x] : i64
    %e = llvm.getelementptr %p[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %e : !llvm.ptr<1> -> f32
    %u = llvm.load %p : !llvm.ptr<1> -> f32
    wg.yield
  }
  return
}

// A quotient or remainder is strided only within one tile: guarded if that is assumed, varying otherwise.
// CHECK-LABEL: @tiles
// CHECK: arith.remui %{{.*}}, %{{.*}} {lane_shape = "varying
// CHECK: arith.divui %{{.*}}, %{{.*}} {lane_shape = "varying
// TILE-LABEL: @tiles
// TILE: arith.remui %{{.*}}, %{{.*}} {lane_shape = "stride 1{{.*}}, guards 1
// TILE: arith.divui %{{.*}}, %{{.*}} {lane_shape = "uniform{{.*}}, guards 1
// TILE: arith.remsi %{{.*}}, %{{.*}} {lane_shape = "stride 1{{.*}}, guards 1
func.func @tiles(%s: i64) attributes {ocl.kernel} {
  %x = arith.constant 0 : i32
  wg.parallel {
    %l = ocl.query local_id[%x] : i64
    %r = arith.remui %l, %s : i64
    %q = arith.divui %l, %s : i64
    %mayBeNegative = arith.addi %l, %s : i64
    %t = arith.remsi %mayBeNegative, %s : i64
    wg.yield
  }
  return
}

// The result of a branch is what both sides agree on, if all lanes take the same side.
// CHECK-LABEL: @branches
// CHECK: scf.if %{{.*}} -> (i64) {
// CHECK: } {lane_shape = "uniform"}
// CHECK: scf.if %{{.*}} -> (i64) {
// CHECK: } {lane_shape = "varying"}
func.func @branches(%c: i1, %s: i64, %t: i64) attributes {ocl.kernel} {
  %x = arith.constant 0 : i32
  wg.parallel {
    %u = scf.if %c -> (i64) {
      scf.yield %s : i64
    } else {
      scf.yield %t : i64
    }
    %l = ocl.query local_id[%x] : i64
    %d = arith.cmpi ult, %l, %s : i64
    %v = scf.if %d -> (i64) {
      scf.yield %s : i64
    } else {
      scf.yield %t : i64
    }
    wg.yield
  }
  return
}

// A counter from a uniform start is uniform inside of a loop, also where lanes leave it at different times; then it
// varies after the loop.
// CHECK-LABEL: @loops
// CHECK: arith.addi %{{.*}}, %{{.*}} {lane_shape = "uniform"}
// CHECK: } attributes {lane_shape = "varying"}
func.func @loops(%s: i64) attributes {ocl.kernel} {
  %x = arith.constant 0 : i32
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  wg.parallel {
    %l = ocl.query local_id[%x] : i64
    %r = scf.while (%i = %none) : (i64) -> i64 {
      %more = arith.cmpi ult, %i, %l : i64
      scf.condition(%more) %i : i64
    } do {
    ^bb0(%i: i64):
      %next = arith.addi %i, %one : i64
      scf.yield %next : i64
    }
    wg.yield
  }
  return
}

// A minimum or maximum of a strided and a uniform number, or a select like one, is strided if all lanes take the side
// that steps. Of two uniform sides neither is assumed, and one lane may be equal to a bound.
// CHECK-LABEL: @clamps
// CHECK: arith.maxsi %{{.*}}, %{{.*}} {lane_shape = "varying"}
// TILE-LABEL: @clamps
// TILE: arith.maxsi %{{.*}}, %{{.*}} {lane_shape = "stride 1, guards 1, max 4294967295"}
// TILE: arith.minsi %{{.*}}, %{{.*}} {lane_shape = "stride 1, guards 2, max 4294967295"}
// TILE: arith.select %{{.*}} {lane_shape = "stride 1, guards 1, max 4294967295"}
// TILE: arith.select %{{.*}} {lane_shape = "stride 1, guards 1, max 4294967295"}
// TILE: arith.select %{{.*}} {lane_shape = "varying"}
// TILE: arith.select %{{.*}} {lane_shape = "varying"}
func.func @clamps(%s: i32, %last: i32) attributes {ocl.kernel} {
  %x = arith.constant 0 : i32
  %zero = arith.constant 0 : i32
  wg.parallel {
    %l = ocl.query local_id[%x] : i64
    %i = arith.trunci %l : i64 to i32
    %j = arith.subi %i, %s : i32
    %low = arith.maxsi %j, %zero : i32
    %both = arith.minsi %low, %last : i32
    %isLeft = arith.cmpi ult, %i, %s : i32
    %left = arith.select %isLeft, %zero, %j : i32
    %isFirst = arith.cmpi eq, %i, %s : i32
    %wrapped = arith.select %isFirst, %last, %j : i32
    %uniform = arith.select %isLeft, %zero, %last : i32
    %one = arith.select %isFirst, %j, %last : i32
    wg.yield
  }
  return
}

// The condition of a loop whose counter and bound step together is uniform, if neither can wrap around: the largest
// number of the counter is that of its bound and one more.
// CHECK-LABEL: @counters
// CHECK: scf.while
// CHECK: arith.cmpi ule, %{{.*}} {lane_shape = "uniform, max 1"}
// CHECK: arith.addi %{{.*}} {lane_shape = "stride 1, max {{[0-9]+}}"}
// CHECK: } attributes {lane_shape = "stride 1, max {{[0-9]+}}"}
// CHECK: scf.while
// CHECK: arith.cmpi ule, %{{.*}} {lane_shape = "varying"}
// CHECK: arith.cmpi ne, %{{.*}} {lane_shape = "uniform, max 1"}
func.func @counters(%s: i32) attributes {ocl.kernel} {
  %x = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %nine = arith.constant 9 : i32
  wg.parallel {
    %l = ocl.query local_id[%x] : i64
    %from = arith.trunci %l : i64 to i32
    %to = arith.addi %from, %nine : i32
    %r = scf.while (%i = %from) : (i32) -> i32 {
      %more = arith.cmpi ule, %i, %to : i32
      scf.condition(%more) %i : i32
    } do {
    ^bb0(%i: i32):
      %next = arith.addi %i, %one : i32
      scf.yield %next : i32
    }
    %far = arith.addi %from, %s : i32
    %t = scf.while (%i = %from) : (i32) -> i32 {
      %more = arith.cmpi ule, %i, %far : i32
      scf.condition(%more) %i : i32
    } do {
    ^bb0(%i: i32):
      %next = arith.addi %i, %one : i32
      scf.yield %next : i32
    }
    %differs = arith.cmpi ne, %from, %far : i32
    wg.yield
  }
  return
}
