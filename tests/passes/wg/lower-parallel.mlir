// RUN: kiln-opt %s --wg-lower-parallel | FileCheck %s
// RUN: kiln-opt %s --ocl-set-target=local-size=64,1,1 --wg-lower-parallel | FileCheck %s --check-prefix=SIZED

// The loop over x is marked as having independent iterations, and its accesses belong to its access group.
// CHECK-DAG: #[[NOTE:.*]] = #llvm.loop_annotation<parallelAccesses = #[[GROUP:[^>]*]]>
// CHECK-DAG: #[[SCALAR:.*]] = #llvm.loop_annotation<vectorize = #{{.*}}, parallelAccesses
// CHECK-LABEL: llvm.func @copy.group
// CHECK-SAME: ocl.kernel = "copy"
// CHECK: llvm.load %{{.*}} {access_groups = [#[[GROUP]]]}
// CHECK: llvm.cond_br {{.*}} {loop_annotation = #[[NOTE]]}
// SIZED-LABEL: llvm.func @copy.group.sized
// SIZED: arith.constant 64 : i64
func.func @copy(%from: !llvm.ptr<1>, %to: !llvm.ptr<1>) attributes {ocl.kernel} {
  wg.parallel {
    %zero = arith.constant 0 : i32
    %g = ocl.query global_id[%zero] : i64
    %p = llvm.getelementptr %from[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    %v = llvm.load %p : !llvm.ptr<1> -> i32
    %q = llvm.getelementptr %to[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    llvm.store %v, %q : i32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// Iterations share private variables: accesses to them are not in the access group.
// CHECK-LABEL: llvm.func @private_variable.group
// CHECK: llvm.alloca
// CHECK: llvm.store %{{.*}}, %{{.*}} : i32, !llvm.ptr
// CHECK-NOT: access_groups
// CHECK: llvm.return
func.func @private_variable() attributes {ocl.kernel} {
  wg.parallel {
    %one = arith.constant 1 : i32
    %p = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
    llvm.store %one, %p : i32, !llvm.ptr
    wg.yield
  }
  return
}

// Slots are laid out by falling alignment; the plan has the bytes per work-item. An i1 is a byte.
// CHECK-LABEL: llvm.func @slots.group
// CHECK-SAME: plan.item_bytes = 14 : i64
func.func @slots() attributes {ocl.kernel} {
  %a = wg.slot : !wg.slot<i1>
  %b = wg.slot : !wg.slot<i32>
  %c = wg.slot : !wg.slot<i64>
  wg.parallel {
    %yes = arith.constant true
    wg.store %yes, %a : !wg.slot<i1>
    wg.yield
  }
  wg.parallel mask %a : !wg.slot<i1> {
    wg.yield
  }
  return
}

// Local variables and local arguments are offsets into the group's memory.
// CHECK-LABEL: llvm.func @local.group
// CHECK-SAME: plan.static_local_bytes = 128 : i64
// CHECK-NOT: llvm.mlir.addressof
llvm.mlir.global internal @tile() {addr_space = 3 : i32} : !llvm.array<16 x f32>
func.func @local(%p: !llvm.ptr<3>) attributes {ocl.kernel} {
  wg.parallel {
    %t = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %v = llvm.load %p : !llvm.ptr<3> -> f32
    llvm.store %v, %t : f32, !llvm.ptr<3>
    wg.yield
  }
  return
}

// The block of program variables is loaded once, from byte 112 of the launch info.
// CHECK-LABEL: llvm.func @variables.group
// CHECK: %[[AT:.*]] = llvm.getelementptr %{{.*}}[104] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: %[[BLOCK:.*]] = llvm.load %[[AT]] invariant {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr<1>
// CHECK-NOT: getelementptr %{{.*}}[104]
// CHECK: llvm.store %{{.*}}, %[[BLOCK]]
// CHECK: llvm.store %{{.*}}, %[[BLOCK]]
func.func @variables() attributes {ocl.kernel} {
  wg.parallel {
    %one = arith.constant 1 : i32
    %p = ocl.program_variables : !llvm.ptr<1>
    llvm.store %one, %p : i32, !llvm.ptr<1>
    wg.yield
  }
  wg.parallel {
    %two = arith.constant 2 : i32
    %p = ocl.program_variables : !llvm.ptr<1>
    llvm.store %two, %p : i32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// A generic pointer is compared with the group's two areas, whose sizes are in the launch info. A variable whose
// address escapes is in one of them, not on the stack.
// CHECK-LABEL: llvm.func @spaces.group(
// CHECK-SAME: %[[LOCAL:arg4]]: !llvm.ptr {llvm.align = 128 : i64, llvm.noalias}, %[[ITEMS:arg5]]: !llvm.ptr {llvm.align = 128 : i64, llvm.noalias})
// CHECK-SAME: plan.thread_bytes = 128
// CHECK-NOT: llvm.alloca %{{.*}} x i32
// CHECK: llvm.getelementptr %{{.*}}[128]
// CHECK: %[[LOCALS:.*]] = llvm.load
// CHECK: llvm.getelementptr %{{.*}}[136]
// CHECK: %[[OWN:.*]] = llvm.load
// CHECK: %[[AT:.*]] = llvm.ptrtoint
// CHECK: %[[START:.*]] = llvm.ptrtoint %[[LOCAL]]
// CHECK: %[[FROM:.*]] = arith.subi %[[AT]], %[[START]]
// CHECK: arith.cmpi ult, %[[FROM]], %[[LOCALS]]
// CHECK: %[[START2:.*]] = llvm.ptrtoint %[[ITEMS]]
// CHECK: %[[FROM2:.*]] = arith.subi %{{.*}}, %[[START2]]
// CHECK: arith.cmpi ult, %[[FROM2]], %[[OWN]]
func.func @spaces(%out: !llvm.ptr<1>, %i: i64) attributes {ocl.kernel} {
  wg.parallel {
    %one = arith.constant 1 : i32
    %v = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
    %w = llvm.alloca %one x !llvm.array<2 x ptr<4>> : (i32) -> !llvm.ptr
    %g = llvm.addrspacecast %v : !llvm.ptr to !llvm.ptr<4>
    llvm.store %g, %w : !llvm.ptr<4>, !llvm.ptr
    %e = llvm.getelementptr %w[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr<4>
    %u = llvm.load %e : !llvm.ptr -> !llvm.ptr<4>
    %a = ocl.is_addrspace local %u : !llvm.ptr<4>
    %b = ocl.is_addrspace private %u : !llvm.ptr<4>
    %c = arith.ori %a, %b : i1
    llvm.store %c, %out : i1, !llvm.ptr<1>
    wg.yield
  }
  return
}

// A reduction over the group is one loop, over runs of it two nested loops. Masked work-items contribute nothing.
// CHECK-LABEL: llvm.func @combines.group
// CHECK: ^[[SUM:.*]](%[[I:.*]]: i64, %[[S:.*]]: i32):
// CHECK: %[[V:.*]] = llvm.load
// CHECK: %[[T:.*]] = arith.addi %[[S]], %[[V]]
// CHECK: cf.cond_br %{{.*}}, ^[[SUM]]
// CHECK: ^[[RUNS:.*]](%[[FIRST:.*]]: i64):
// CHECK: arith.minui
// CHECK: ^[[ITEM:.*]](%{{.*}}: i64, %[[P:.*]]: i32):
// CHECK: %[[NEXT:.*]] = arith.maxsi %[[P]]
// CHECK: %[[KEPT:.*]] = arith.select %{{.*}}, %[[NEXT]], %[[P]]
// CHECK: llvm.store %[[P]]
// CHECK: cf.cond_br %{{.*}}, ^[[ITEM]]
// CHECK: cf.cond_br %{{.*}}, ^[[RUNS]]
func.func @combines(%p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %s = wg.slot : !wg.slot<i32>
  %r = wg.slot : !wg.slot<i32>
  %m = wg.slot : !wg.slot<i1>
  %sum = wg.reduce add %s : !wg.slot<i32>
  llvm.store %sum, %p : i32, !llvm.ptr<1>
  wg.combine exclusive_scan smax width 16 %s, %r mask %m : !wg.slot<i32>, !wg.slot<i1>
  return
}

// A read of another work-item's element is independent as well.
// CHECK-LABEL: llvm.func @reads.group
// CHECK: llvm.load %{{.*}} {access_groups
// CHECK-NOT: wg.read
// CHECK: llvm.return
func.func @reads(%p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %s = wg.slot : !wg.slot<i32>
  wg.parallel {
    %l = ocl.linear_query sub_group_local_id : i64
    %v = wg.read %s[%l] : !wg.slot<i32>
    llvm.store %v, %p : i32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// One loop over rows, one over x. y and z are carried only if they are queried.
// CHECK-LABEL: llvm.func @one_dimension.group
// CHECK: ^[[ROW:bb[0-9]+]](%{{[0-9]+}}: i64): // 2 preds
// CHECK: ^[[X:bb[0-9]+]](%{{[0-9]+}}: i64): // 2 preds
// CHECK: llvm.cond_br %{{.*}}, ^[[X]](%{{.*}} : i64)
// CHECK: llvm.cond_br %{{.*}}, ^[[ROW]](%{{.*}} : i64)
// A dimension of one work-item has no loop.
// SIZED-LABEL: llvm.func @one_dimension.group.sized
// SIZED: ^[[X:bb[0-9]+]](%{{[0-9]+}}: i64): // 2 preds
// SIZED: llvm.cond_br %{{.*}}, ^[[X]](%{{.*}} : i64)
// SIZED-NOT: llvm.cond_br
// SIZED: llvm.return
func.func @one_dimension(%p: !llvm.ptr<1>) attributes {ocl.kernel} {
  wg.parallel {
    %zero = arith.constant 0 : i32
    %x = ocl.query local_id[%zero] : i64
    llvm.store %x, %p : i64, !llvm.ptr<1>
    wg.yield
  }
  return
}

// CHECK-LABEL: llvm.func @three_dimensions.group
// CHECK: ^[[ROW:bb[0-9]+]](%{{[0-9]+}}: i64, %[[Y:[0-9]+]]: i64, %[[Z:[0-9]+]]: i64): // 2 preds
// CHECK: llvm.store %[[Y]]
// CHECK: llvm.store %[[Z]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[Y]]
// CHECK: %[[WRAPS:.*]] = arith.cmpi eq, %[[NEXT]]
// CHECK: %[[Y2:.*]] = arith.select %[[WRAPS]], %{{.*}}, %[[NEXT]]
// CHECK: %[[CARRY:.*]] = arith.extui %[[WRAPS]]
// CHECK: %[[Z2:.*]] = arith.addi %[[Z]], %[[CARRY]]
// CHECK: llvm.cond_br %{{.*}}, ^[[ROW]](%{{.*}}, %[[Y2]], %[[Z2]] :
func.func @three_dimensions(%p: !llvm.ptr<1>) attributes {ocl.kernel} {
  wg.parallel {
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %y = ocl.query local_id[%one] : i64
    %z = ocl.query local_id[%two] : i64
    llvm.store %y, %p : i64, !llvm.ptr<1>
    llvm.store %z, %p : i64, !llvm.ptr<1>
    wg.yield
  }
  return
}

// Enqueue records go to the launch's arena, and the plan records that the kernel enqueues.
// CHECK-LABEL: llvm.func @enqueues.group
// CHECK-SAME: plan.enqueues = 1 : i64
// CHECK: %[[FIELD:.*]] = llvm.getelementptr %arg1[120]
// CHECK: llvm.load %[[FIELD]] invariant {{.*}} -> !llvm.ptr<1>
// CHECK-NOT: ocl.enqueue_arena
func.func @enqueues(%out: !llvm.ptr<1>) attributes {ocl.kernel} {
  wg.parallel {
    %a = ocl.enqueue_arena : !llvm.ptr<1>
    %n = llvm.ptrtoint %a : !llvm.ptr<1> to i64
    llvm.store %n, %out : i64, !llvm.ptr<1>
    wg.yield
  }
  return
}

// Rows along y: the loop over y is the inner one, and the rows are those of each x and z.
// SIZED-LABEL: llvm.func @columns.group.sized
// SIZED-SAME: plan.row_dimension = 1 : i64
// SIZED: llvm.load
// CHECK-LABEL: llvm.func @columns.group
// CHECK: cf.br ^[[ROW:bb[0-9]+]](%{{.*}}, %{{.*}}, %{{.*}} : i64, i64, i64)
// CHECK: ^[[ROW]](%{{.*}}: i64, %[[X:.*]]: i64, %{{.*}}: i64):
// CHECK: cf.br ^[[ITEM:bb[0-9]+]](%{{.*}} : i64)
// CHECK: ^[[ITEM]](%[[Y:.*]]: i64):
// CHECK: arith.constant 1 : i32
// CHECK: %[[GX:.*]] = arith.addi %{{.*}}, %[[X]] : i64
// CHECK: %[[GY:.*]] = arith.addi %{{.*}}, %[[Y]] : i64
// CHECK: llvm.getelementptr %{{.*}}[%[[GX]], %[[GY]]]
// CHECK: llvm.return
func.func @columns(%to: !llvm.ptr<1>) attributes {ocl.kernel} {
  wg.parallel along 1 {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %x = ocl.query global_id[%zero] : i64
    %y = ocl.query global_id[%one] : i64
    %p = llvm.getelementptr %to[%x, %y] : (!llvm.ptr<1>, i64, i64) -> !llvm.ptr<1>, !llvm.array<8 x i32>
    %v = llvm.load %p : !llvm.ptr<1> -> i32
    llvm.store %v, %p : i32, !llvm.ptr<1>
    wg.yield
  }
  return
}

// LLVM's vectoriser leaves a region that Kiln's has left scalar.
// CHECK-LABEL: llvm.func @left_scalar.group
// CHECK: llvm.cond_br {{.*}} {loop_annotation = #[[SCALAR]]}
func.func @left_scalar(%to: !llvm.ptr<1>) attributes {ocl.kernel} {
  wg.parallel {
    %zero = arith.constant 0 : i32
    %g = ocl.query global_id[%zero] : i64
    %q = llvm.getelementptr %to[%g] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    llvm.store %zero, %q : i32, !llvm.ptr<1>
    wg.yield
  } {wg.not_vectorized = "not profitable"}
  return
}
