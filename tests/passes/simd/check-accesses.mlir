// RUN: kiln-opt %s %cpu_8 --wg-vectorize="force max-interleave=1" | FileCheck %s

// The first and the last lane are checked before the access, and a vector that fails runs in the scalar body.
// CHECK-LABEL: func.func @consecutive
// CHECK: lanes 8
// CHECK: %[[P:.*]] = llvm.getelementptr %arg0
// CHECK: %[[FIRST:.*]] = arith.subi
// CHECK: %[[SPAN:.*]] = arith.constant 28 : i64
// CHECK: arith.addi %[[FIRST]], %[[SPAN]]
// CHECK: %[[ONE:.*]] = arith.andi
// CHECK: %[[HOLDS:.*]] = arith.andi %[[ONE]]
// CHECK: scf.if %[[HOLDS]]
// CHECK-NOT: ocl.check_access
// CHECK: llvm.store %{{.*}} : vector<8xf32>, !llvm.ptr<1>
// CHECK: wg.yield done
func.func @consecutive(%a: !llvm.ptr<1>, %v: f32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %begin, %size = ocl.argument_range 0 : !llvm.ptr<1>
  wg.parallel {
    %four = arith.constant 4 : i64
    %none = arith.constant -1 : i64
    %i = ocl.query global_id[%zero] : i64
    %p = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %q = ocl.check_access write %p in %begin[%size] bytes %four item(%i, %none, %none) "a" argument 0 : !llvm.ptr<1>, !llvm.ptr<1>
    llvm.store %v, %q : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// One check for all lanes.
// CHECK-LABEL: func.func @uniform
// CHECK: lanes 8
// CHECK: ocl.check_access read %arg0
// CHECK-NOT: ocl.check_access
// CHECK: wg.yield
func.func @uniform(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %begin, %size = ocl.argument_range 0 : !llvm.ptr<1>
  wg.parallel {
    %four = arith.constant 4 : i64
    %none = arith.constant -1 : i64
    %i = ocl.query global_id[%zero] : i64
    %q = ocl.check_access read %a in %begin[%size] bytes %four item(%i, %none, %none) "a" argument 0 : !llvm.ptr<1>, !llvm.ptr<1>
    %v = llvm.load %q : !llvm.ptr<1> -> f32
    %p = llvm.getelementptr %b[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %v, %p : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// Other pointers are compared as vectors, and lanes that fail are checked in a loop.
// CHECK-LABEL: func.func @scattered
// CHECK: lanes 8
// CHECK: llvm.ptrtoint %{{.*}} : vector<8x!llvm.ptr<1>> to vector<8xi64>
// CHECK: arith.cmpi ule, %{{.*}} : vector<8xi64>
// CHECK: scf.if
// CHECK: scf.for
// CHECK: scf.if
// CHECK: ocl.check_access read
func.func @scattered(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %begin, %size = ocl.argument_range 0 : !llvm.ptr<1>
  wg.parallel {
    %four = arith.constant 4 : i64
    %none = arith.constant -1 : i64
    %i = ocl.query global_id[%zero] : i64
    %at = llvm.getelementptr %b[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i64
    %index = llvm.load %at : !llvm.ptr<1> -> i64
    %p = llvm.getelementptr %a[%index] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %q = ocl.check_access read %p in %begin[%size] bytes %four item(%i, %none, %none) "a" argument 0 : !llvm.ptr<1>, !llvm.ptr<1>
    %v = llvm.load %q : !llvm.ptr<1> -> f32
    %to = llvm.getelementptr %b[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i64
    llvm.store %v, %to : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// A row for each lane: one check of its bytes. Lanes that fail check each element.
// CHECK-LABEL: func.func @rows
// CHECK: lanes 8
// CHECK: %[[FAILS:.*]] = arith.cmpi ne
// CHECK: %{{.*}}:2 = scf.if %[[FAILS]] -> (vector<8xf32>, vector<8xf32>) {
// CHECK:   ocl.check_access
// CHECK:   ocl.check_access
// CHECK: } else {
// CHECK-NOT: ocl.check_access
// CHECK:   llvm.load %{{.*}} -> vector<2xf32>
// CHECK: }
// CHECK-NOT: ocl.check_access read
func.func @rows(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %n: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %begin, %size = ocl.argument_range 0 : !llvm.ptr<1>
  wg.parallel {
    %four = arith.constant 4 : i64
    %none = arith.constant -1 : i64
    %one = arith.constant 1 : i64
    %i = ocl.query global_id[%zero] : i64
    %row = arith.muli %i, %n : i64
    %next = arith.addi %row, %one : i64
    %p = llvm.getelementptr %a[%row] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %q = ocl.check_access read %p in %begin[%size] bytes %four item(%i, %none, %none) "a" argument 0 : !llvm.ptr<1>, !llvm.ptr<1>
    %x = llvm.load %q : !llvm.ptr<1> -> f32
    %r = llvm.getelementptr %a[%next] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    %s = ocl.check_access read %r in %begin[%size] bytes %four item(%i, %none, %none) "a" argument 0 : !llvm.ptr<1>, !llvm.ptr<1>
    %y = llvm.load %s : !llvm.ptr<1> -> f32
    %sum = arith.addf %x, %y : f32
    %t = llvm.getelementptr %b[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store %sum, %t : f32, !llvm.ptr<1>
    wg.yield
  }
  return
}
