// RUN: kiln-opt %s --wg-expand-checks | FileCheck %s

// Equal sites share a constant: line, column, argument, access, space, the name and the file. Those of tracked accesses
// have a number, the granule and how they order other accesses.
// CHECK-DAG: llvm.mlir.global internal constant @kiln.check.0("\0C\00\00\00\03\00\00\00\01\00\00\00\01\01\00\00\00\00\00\00out\00k.cl\00")
// CHECK-DAG: llvm.mlir.global internal constant @kiln.check.1("\0C\00\00\00\03\00\00\00\00\00\00\00\01\01\01\00\02\00\00\00a\00k.cl\00")
// CHECK-DAG: llvm.mlir.global internal constant @kiln.check.2("\0C\00\00\00\03\00\00\00\FF\FF\FF\FF\02\03\02\00\02\07\00\00\00k.cl\00")
// CHECK-NOT: llvm.mlir.global

// CHECK-LABEL: func.func @write
// CHECK: %[[B:.*]] = llvm.ptrtoint %arg1
// CHECK: %[[P:.*]] = llvm.ptrtoint %arg0
// CHECK: %[[OFFSET:.*]] = arith.subi %[[P]], %[[B]]
// CHECK: arith.cmpi uge, %arg2, %{{.*}} : i64
// CHECK: %[[LIMIT:.*]] = arith.subi %arg2, %{{.*}}
// CHECK: %[[INSIDE:.*]] = arith.cmpi ule, %[[OFFSET]], %[[LIMIT]]
// CHECK: %[[FITS:.*]] = arith.andi
// CHECK: %[[Q:.*]] = scf.if %[[FITS]] -> (!llvm.ptr<1>) {
// CHECK:   scf.yield %arg0
// CHECK: } else {
// CHECK:   ocl.check_launch
// CHECK:   %[[FUNCTION:.*]] = llvm.load %{{.*}} invariant
// CHECK:   llvm.mlir.addressof @kiln.check.0
// CHECK:   llvm.call %[[FUNCTION]](
// CHECK: llvm.store %{{.*}}, %[[Q]]
func.func @write(%p: !llvm.ptr<1>, %b: !llvm.ptr<1>, %size: i64, %x: i64, %v: i32) attributes {ocl.kernel} {
  %four = arith.constant 4 : i64
  wg.parallel {
    %q = ocl.check_access write %p in %b[%size] bytes %four item(%x, %x, %x) "out" argument 1 : !llvm.ptr<1>, !llvm.ptr<1> loc(#here)
    llvm.store %v, %q : i32, !llvm.ptr<1>
    %r = ocl.check_access write %p in %b[%size] bytes %four item(%x, %x, %x) "out" argument 1 : !llvm.ptr<1>, !llvm.ptr<1> loc(#here)
    llvm.store %v, %r : i32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// Accesses through an argument are noted if the launch needs it, and others always.
// CHECK-LABEL: func.func @track
// CHECK: %[[TRACKED:.*]] = ocl.argument_tracked 0
// CHECK: %[[WRITES:.*]] = arith.andi %[[TRACKED]]
// CHECK: %[[IS:.*]] = arith.cmpi ne, %[[WRITES]]
// CHECK: scf.if %[[IS]] {
// CHECK:   llvm.mlir.addressof @kiln.check.1
// CHECK:   llvm.call
// CHECK: }
// CHECK-NOT: scf.if
// CHECK: llvm.mlir.addressof @kiln.check.2
// CHECK: llvm.call
func.func @track(%p: !llvm.ptr<1>, %l: !llvm.ptr<3>, %n: i64) attributes {ocl.kernel} {
  wg.parallel {
    ocl.track_access write %p bytes %n step %n lanes %n item %n "a" argument 0 granule 2 : !llvm.ptr<1> loc(#here)
    ocl.track_access atomic %l bytes %n step %n lanes %n item %n "" granule 2 sync 7 : !llvm.ptr<3> loc(#here)
    wg.yield
  }
  return
}

// The note of a group has the site of the note of each access.
// CHECK-LABEL: func.func @group
// CHECK: llvm.mlir.addressof @kiln.check.1
// CHECK: %[[RESULT:.*]] = llvm.call %{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}, %arg1, %arg1, %arg1, %arg1, %arg1)
// CHECK: %[[NOTED:.*]] = arith.cmpi ne, %[[RESULT]]
// CHECK: scf.if %[[NOTED]]
// CHECK: llvm.mlir.addressof @kiln.check.1
func.func @group(%p: !llvm.ptr<1>, %n: i64) attributes {ocl.kernel} {
  %noted = ocl.track_group write %p bytes %n step %n row %n pitch %n rows %n "a" argument 0 granule 2 : !llvm.ptr<1> loc(#here)
  wg.parallel {
    scf.if %noted {
      ocl.track_access write %p bytes %n step %n lanes %n item %n "a" argument 0 granule 2 : !llvm.ptr<1> loc(#here)
    }
    wg.yield
  }
  return
}

// The lanes' addresses go through an array.
// CHECK-LABEL: func.func @lanes
// CHECK: wg.parallel {
// CHECK: %[[ROOM:.*]] = llvm.alloca {{.*}} x vector<8xi64>
// CHECK: ocl.argument_tracked 0
// CHECK: scf.if
// CHECK:   llvm.ptrtoint
// CHECK:   llvm.store %{{.*}}, %[[ROOM]]
// CHECK:   llvm.call %{{.*}}(%{{.*}}, %{{.*}}, %[[ROOM]], %arg1, %arg1, %arg1)
// CHECK: ocl.argument_tracked 0
// CHECK-NOT: llvm.alloca
func.func @lanes(%p: vector<8x!llvm.ptr<1>>, %n: i64) attributes {ocl.kernel} {
  wg.parallel {
    ocl.track_lanes write %p bytes %n lanes %n item %n "a" argument 0 granule 2 : vector<8x!llvm.ptr<1>> loc(#here)
    ocl.track_lanes read %p bytes %n lanes %n item %n "a" argument 0 granule 2 : vector<8x!llvm.ptr<1>> loc(#here)
    wg.yield
  }
  return
}
#here = loc("k.cl":12:3)
