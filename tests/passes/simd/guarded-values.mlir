// RUN: kiln-opt %s %cpu_8 --wg-vectorize="max-interleave=1 force=true" | FileCheck %s

// A remainder rises from lane to lane only within one tile. Unless that was checked, its lanes are computed, not
// derived from lane 0's. Here no address depends on it, so nothing is checked.
// CHECK-LABEL: func.func @condition
// CHECK: lanes 8
// CHECK: %[[EACH:.*]] = arith.remui %{{.*}}, %{{.*}} : vector<8xi64>
// CHECK: %[[NARROW:.*]] = arith.trunci %[[EACH]] : vector<8xi64> to vector<8xi32>
// CHECK: arith.cmpi eq, %[[NARROW]]
func.func @condition(%a: !llvm.ptr<1>, %s: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i32
  wg.parallel {
    %l = ocl.query local_id[%zero] : i64
    %n = arith.extui %s : i32 to i64
    %r = arith.remui %l, %n : i64
    %is = arith.cmpi eq, %r, %none : i64
    scf.if %is {
      %g = ocl.query global_id[%zero] : i64
      %p = llvm.getelementptr %a[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
      llvm.store %one, %p {alignment = 4 : i64} : i32, !llvm.ptr<1>
    }
    wg.yield
  }
  return
}

// An address depends on the remainder: the check comes first, and the condition may use its result.
// CHECK-LABEL: func.func @proven
// CHECK: lanes 8
// CHECK: %[[REST:.*]] = arith.remui %{{.*}}, %{{.*}} : i64
// CHECK: %[[HOLDS:.*]] = arith.andi
// CHECK: scf.if %[[HOLDS]] -> (i1, i1)
// CHECK-NOT: arith.remui {{.*}} vector
// CHECK: llvm.load {{.*}} -> vector<8xf32>
func.func @proven(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %s: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %few = arith.constant 3 : i64
  wg.parallel {
    %l = ocl.query local_id[%zero] : i64
    %r = arith.remui %l, %s : i64
    %p = llvm.getelementptr %a[%r] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %is = arith.cmpi ult, %r, %few : i64
    %w0 = arith.mulf %v, %v : f32
    %w1 = arith.mulf %w0, %w0 : f32
    %w = arith.select %is, %w1, %v : f32
    %g = ocl.query global_id[%zero] : i64
    %q = llvm.getelementptr %b[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %w, %q {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// A signed remainder is strided only if no lane is negative, too: the check compares lane 0's value as an unsigned
// number.
// CHECK-LABEL: func.func @signed
// CHECK: lanes 8
// CHECK: %[[X:.*]] = arith.addi %{{.*}}, %arg2 overflow<nsw> : i32
// CHECK: %[[REST:.*]] = arith.remsi %[[X]], %{{.*}} : i32
// CHECK: %[[LIMIT:.*]] = arith.constant 2147483640 : i32
// CHECK: arith.cmpi ule, %[[X]], %[[LIMIT]] : i32
// CHECK: scf.if %{{.*}} -> (i1, i1)
// CHECK: llvm.load {{.*}} -> vector<8xf32>
func.func @signed(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %s: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %width = arith.constant 64 : i32
  wg.parallel {
    %l = ocl.query local_id[%zero] : i64
    %n = arith.trunci %l : i64 to i32
    %x = arith.addi %n, %s overflow<nsw> : i32
    %r = arith.remsi %x, %width : i32
    %w = arith.extsi %r : i32 to i64
    %p = llvm.getelementptr %a[%w] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
    %g = ocl.query global_id[%zero] : i64
    %q = llvm.getelementptr %b[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %v, %q {alignment = 4 : i64} : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// A loop that starts with the remainder, after a store, carries lane 0's value and all lanes'. Each access is checked,
// and uses the lanes' values if the check fails.
// CHECK-LABEL: func.func @loop
// CHECK: lanes 8
// CHECK: scf.while {{.*}} : (i64, vector<8xi64>, vector<8xi32>)
// CHECK: scf.if
// CHECK: llvm.intr.masked.store {{.*}} : vector<8xi32>
// CHECK: } else {
// CHECK: llvm.extractelement {{.*}} : vector<8x!llvm.ptr<1>>
func.func @loop(%a: !llvm.ptr<1>, %s: i64, %n: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  wg.parallel {
    %l = ocl.query global_id[%zero] : i64
    %own = llvm.getelementptr %a[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    llvm.store %one, %own {alignment = 4 : i64} : i32, !llvm.ptr<1>
    %r = arith.remui %l, %s : i64
    %end = scf.while (%i = %r) : (i64) -> i64 {
      %more = arith.cmpi ult, %i, %n : i64
      scf.condition(%more) %i : i64
    } do {
    ^bb0(%i: i64):
      %p = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
      llvm.store %one, %p {alignment = 4 : i64} : i32, !llvm.ptr<1>
      %next = arith.addi %i, %s : i64
      scf.yield %next : i64
    }
    wg.yield
  }
  return
}

// An index that wraps around in inactive lanes only. Lane 0's address is derived from the first active lane, and the
// check compares the first with the last active lane. So the usual vector passes it.
// CHECK-LABEL: func.func @active_lanes
// CHECK: lanes 8
// CHECK: %[[BITS:.*]] = llvm.bitcast %{{.*}} : vector<8xi1> to i8
// CHECK: %[[K:.*]] = math.cttz %{{.*}} : i8
// CHECK: %[[WIDE:.*]] = arith.extui %{{.*}} : i32 to i64
// CHECK: %[[INDEX:.*]] = arith.subi %[[WIDE]], %{{.*}} : i64
// CHECK: %[[FROM:.*]] = llvm.getelementptr %{{.*}}[%[[INDEX]]]
// CHECK: math.cttz
// CHECK: math.ctlz
// CHECK: %[[HOLDS:.*]] = arith.cmpi ule, %{{.*}}, %{{.*}} : i32
// CHECK: scf.if %[[HOLDS]]
// CHECK: llvm.intr.masked.load %[[FROM]]
func.func @active_lanes(%a: !llvm.ptr<3>, %b: !llvm.ptr<1>, %s: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  wg.parallel {
    %l = ocl.query local_id[%zero] : i64
    %x = arith.trunci %l : i64 to i32
    %is = arith.cmpi uge, %x, %s : i32
    %v = scf.if %is -> i32 {
      %i = arith.subi %x, %s : i32
      %w = arith.extui %i : i32 to i64
      %p = llvm.getelementptr %a[%w] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
      %u = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<3> -> i32
      scf.yield %u : i32
    } else {
      scf.yield %zero : i32
    }
    %q = llvm.getelementptr %b[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    llvm.store %v, %q {alignment = 4 : i64} : i32, !llvm.ptr<1>
    wg.yield
  }
  return
}
