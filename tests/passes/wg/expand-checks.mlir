// RUN: kiln-opt %s --wg-expand-checks | FileCheck %s

// Equal sites share a constant: line, column, argument, access, space, the name and the file.
// CHECK: llvm.mlir.global internal constant @kiln.check.0("\0C\00\00\00\03\00\00\00\01\00\00\00\01\01\00\00out\00k.cl\00")
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
#here = loc("k.cl":12:3)
