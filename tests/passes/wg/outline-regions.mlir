// RUN: kiln-opt %s --wg-lower-parallel | FileCheck %s
// RUN: kiln-opt %s --ocl-set-target=local-size=64,1,1 --wg-lower-parallel | FileCheck %s --check-prefix=SIZED

// Nine regions and collectives: each region becomes a function, which is called with its inputs and contains its
// constants and private variables. Collectives of one kind share a function, whatever slots they work on. With a fixed
// local size they stay inline.
// SIZED-LABEL: llvm.func @many.group.sized(
// SIZED-NOT: llvm.call
// CHECK-LABEL: llvm.func @many.group(
// CHECK-NOT: llvm.cond_br
// CHECK: llvm.call @many.group.part0(%{{.*}}) : (i64, i64, !llvm.ptr, i64) -> ()
// CHECK: %[[SUM:.*]] = llvm.call @[[REDUCE:many.group.part[0-9]+]](%[[A:.*]], %{{.*}}) : (!llvm.ptr, i64) -> i32
// CHECK: llvm.store %[[SUM]]
// CHECK: %[[SUM2:.*]] = llvm.call @[[REDUCE]](%[[B:.*]], %{{.*}}) : (!llvm.ptr, i64) -> i32
// CHECK: llvm.store %[[SUM2]]
// CHECK: llvm.call @[[SCAN:many.group.part[0-9]+]](%[[A]], %[[B]], %{{.*}})
// CHECK: llvm.call @[[SCAN]](%[[B]], %[[A]], %{{.*}})
// CHECK: %[[MOST:.*]] = llvm.call @[[MAX:many.group.part[0-9]+]](%[[A]], %{{.*}})
// CHECK: llvm.store %[[MOST]]
// CHECK: llvm.return
// CHECK: llvm.func internal @{{.*}} attributes {no_inline}
// CHECK: llvm.func internal @many.group.part0(%{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr, %{{.*}}: i64) attributes {no_inline} {
// CHECK-NEXT: %[[SIZE:.*]] = arith.constant 1 : i32
// CHECK-NEXT: %[[OWN:.*]] = llvm.alloca %[[SIZE]] x i32
// CHECK: llvm.store %{{.*}}, %[[OWN]]
// CHECK: llvm.cond_br %{{.*}} {loop_annotation
// CHECK: llvm.return
func.func @many(%p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %a = wg.slot : !wg.slot<i32>
  %b = wg.slot : !wg.slot<i32>
  wg.parallel {
    %zero = arith.constant 0 : i32
    %x = ocl.query global_id[%zero] : i32
    %one = arith.constant 1 : i32
    %v = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
    llvm.store %x, %v : i32, !llvm.ptr
    wg.store %x, %a : !wg.slot<i32>
    wg.yield
  }
  %sum = wg.reduce add %a : !wg.slot<i32>
  llvm.store %sum, %p : i32, !llvm.ptr<1>
  %sum2 = wg.reduce add %b : !wg.slot<i32>
  llvm.store %sum2, %p : i32, !llvm.ptr<1>
  wg.combine inclusive_scan add %a, %b : !wg.slot<i32>
  wg.combine inclusive_scan add %b, %a : !wg.slot<i32>
  %most = wg.reduce umax %a : !wg.slot<i32>
  llvm.store %most, %p : i32, !llvm.ptr<1>
  wg.parallel {
    wg.yield
  }
  wg.parallel {
    wg.yield
  }
  wg.parallel {
    wg.yield
  }
  return
}

// A kernel with few regions stays one function.
// CHECK-LABEL: llvm.func @few.group(
// CHECK-NOT: llvm.call
// CHECK: llvm.cond_br
// CHECK: llvm.return
func.func @few(%p: !llvm.ptr<1>) attributes {ocl.kernel} {
  wg.parallel {
    wg.yield
  }
  return
}
