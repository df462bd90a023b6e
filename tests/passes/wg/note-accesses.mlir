// RUN: kiln-opt %s --wg-note-accesses --ocl-pass-queries | FileCheck %s

// A work-item's ids are written once, and the line of each access before it. Accesses are volatile: LLVM keeps their order.
// CHECK-LABEL: func.func @item(
// CHECK: wg.parallel {
// CHECK: %[[NOTE:.*]] = ocl.access_note
// CHECK: llvm.getelementptr %[[NOTE]][8]
// CHECK: llvm.store volatile %c1_i64
// CHECK: %[[X:.*]] = ocl.query global_id[%c0_i32] : i64
// CHECK: llvm.getelementptr %{{.*}}[16]
// CHECK: llvm.store volatile %[[X]]
// CHECK: ocl.query global_id[%c1_i32]
// CHECK: llvm.getelementptr %{{.*}}[24]
// CHECK: ocl.query global_id[%c2_i32]
// CHECK: llvm.getelementptr %{{.*}}[32]
// CHECK: %[[SITE:.*]] = llvm.mlir.addressof @kiln.site.1
// CHECK: llvm.store volatile %[[SITE]]
// CHECK: llvm.load volatile %arg0
// CHECK: %[[OTHER:.*]] = llvm.mlir.addressof @kiln.site.2
// CHECK: llvm.store volatile %[[OTHER]]
// CHECK: llvm.store volatile %{{.*}}, %arg1
// CHECK: llvm.mlir.addressof @kiln.site.1
// CHECK: llvm.mlir.addressof @kiln.site.1
// CHECK: ocl.atomic_rmw
// CHECK: llvm.mlir.addressof @kiln.site.1
// CHECK: llvm.intr.memcpy
func.func @item(%a: !llvm.ptr<1>, %out: !llvm.ptr<1>, %x: i32) attributes {ocl.kernel} {
  wg.parallel {
    %v = llvm.load %a : !llvm.ptr<1> -> i32 loc("k.cl":3:5)
    llvm.store %v, %out : i32, !llvm.ptr<1> loc(callsite(callsite("h.cl":7:1 at "h.cl":9:1) at "k.cl":4:9))
    llvm.store %v, %out : i32, !llvm.ptr<1> loc("k.cl":3:1)
    %old = ocl.atomic_rmw add %out, %x relaxed device : !llvm.ptr<1>, i32 loc("k.cl":3:1)
    "llvm.intr.memcpy"(%out, %a, %x) <{isVolatile = false}> : (!llvm.ptr<1>, !llvm.ptr<1>, i32) -> () loc("k.cl":3:1)
    wg.yield
  }
  return
}

// Code between regions runs once for a group.
// CHECK-LABEL: func.func @group(
// CHECK: llvm.store volatile %c0_i64
// CHECK: ocl.query group_id[%c0_i32]
// CHECK: ocl.query group_id[%c2_i32]
// CHECK: llvm.mlir.addressof @kiln.site.1
// CHECK: llvm.load volatile
// CHECK: wg.slot
// CHECK: wg.parallel
// CHECK-NOT: kiln.site
// CHECK: wg.store
func.func @group(%a: !llvm.ptr<1>) attributes {ocl.kernel} {
  %v = llvm.load %a : !llvm.ptr<1> -> i32 loc("k.cl":3:5)
  %slot = wg.slot : !wg.slot<i32>
  wg.parallel {
    wg.store %v, %slot : !wg.slot<i32>
    wg.yield
  }
  return
}

// A function that is not inlined has the ids of its caller, and gets the note's address.
// CHECK-LABEL: func.func private @called(
// CHECK-SAME: %arg0: !llvm.ptr<1>, %[[ADDRESS:.*]]: !llvm.ptr)
// CHECK-NOT: ocl.query
// CHECK: llvm.getelementptr %[[ADDRESS]]
// CHECK: llvm.load volatile
func.func private @called(%a: !llvm.ptr<1>) -> i32 attributes {ocl.called} {
  %v = llvm.load %a : !llvm.ptr<1> -> i32 loc("k.cl":3:5)
  return %v : i32
}
// CHECK-LABEL: func.func @caller(
// CHECK: kiln.site.3
// CHECK: %[[PASSED:.*]] = ocl.access_note
// CHECK: call @called(%arg0, %[[PASSED]])
func.func @caller(%a: !llvm.ptr<1>) attributes {ocl.kernel} {
  wg.parallel {
    %v = func.call @called(%a) : (!llvm.ptr<1>) -> i32
    wg.yield
  }
  return
}
// CHECK: llvm.mlir.global internal constant @kiln.site.1("k.cl:3\0A\00")
// CHECK: llvm.mlir.global internal constant @kiln.site.2("h.cl:7\0Ah.cl:9\0Ak.cl:4\0A\00")
// CHECK: llvm.mlir.global internal constant @kiln.site.3
