// RUN: kiln-opt %s --split-input-file --verify-diagnostics --ocl-to-wg | FileCheck %s

// A kernel without a barrier is one region, with its control flow graph.
// CHECK-LABEL: func.func @no_barrier
// CHECK-NEXT: wg.parallel {
// CHECK: cf.cond_br
// CHECK: wg.yield
// CHECK: return
func.func @no_barrier(%c: i1) attributes {ocl.kernel} {
  cf.cond_br %c, ^a, ^b
^a:
  cf.br ^b
^b:
  return
}

// Two regions; a value that is cheap to recompute needs no slot.
// CHECK-LABEL: func.func @straight
// CHECK-NOT: wg.slot
// CHECK: wg.parallel
// CHECK: llvm.store
// CHECK: wg.yield
// CHECK: wg.parallel
// CHECK: ocl.query local_id
// CHECK: llvm.load
func.func @straight(%p: !llvm.ptr<3>, %q: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %l = ocl.query local_id[%zero] : i64
  %e = llvm.getelementptr %p[%l] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
  llvm.store %zero, %e : i32, !llvm.ptr<3>
  ocl.barrier work_group local
  %v = llvm.load %e : !llvm.ptr<3> -> i32
  llvm.store %v, %q : i32, !llvm.ptr<1>
  return
}

// An index or address that is linear in the ids is computed again, however many operations that takes: in a slot, the
// vectoriser would not see its stride. `%d` is no such value.
// CHECK-LABEL: func.func @linear_index
// CHECK: wg.slot : <i32>
// CHECK-NOT: wg.slot
// CHECK: wg.parallel
// CHECK-COUNT-6: arith.addi
// CHECK: wg.parallel
// CHECK: wg.load {{.*}} : <i32>
// CHECK-COUNT-6: arith.addi
func.func @linear_index(%p: !llvm.ptr<1>, %w: i32, %h: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %l = ocl.query local_id[%zero] : i64
  %m = ocl.query local_id[%one] : i64
  %x = arith.trunci %l : i64 to i32
  %y = arith.trunci %m : i64 to i32
  %row = arith.muli %y, %w : i32
  %i0 = arith.addi %row, %x : i32
  %i1 = arith.addi %i0, %one : i32
  %i2 = arith.addi %i1, %h : i32
  %i3 = arith.addi %i2, %w : i32
  %i4 = arith.addi %i3, %two : i32
  %i5 = arith.addi %i4, %h : i32
  %d0 = arith.muli %x, %i5 : i32
  %d1 = arith.muli %d0, %i4 : i32
  %d2 = arith.muli %d1, %i3 : i32
  %d = arith.muli %d2, %i2 : i32
  %i = arith.extsi %i5 : i32 to i64
  %e = llvm.getelementptr %p[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  llvm.store %zero, %e : i32, !llvm.ptr<1>
  ocl.barrier work_group global
  llvm.store %d, %e : i32, !llvm.ptr<1>
  return
}

// The same for the index of a neighbour, which group values and ids clamp.
// CHECK-LABEL: func.func @clamped_index
// CHECK-NOT: wg.slot
// CHECK-COUNT-2: arith.maxsi
// CHECK: return
func.func @clamped_index(%p: !llvm.ptr<1>, %w: i32, %h: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %l = ocl.query local_id[%zero] : i64
  %b = ocl.query group_id[%zero] : i64
  %x = arith.trunci %l : i64 to i32
  %group = arith.trunci %b : i64 to i32
  %g0 = arith.muli %group, %w : i32
  %g1 = arith.subi %g0, %h : i32
  %g2 = arith.subi %zero, %g1 : i32
  %isBelow = arith.cmpi slt, %g1, %zero : i32
  %first = arith.select %isBelow, %g2, %zero : i32
  %left = arith.subi %x, %one : i32
  %clamped = arith.maxsi %left, %first : i32
  %i = arith.extsi %clamped : i32 to i64
  %e = llvm.getelementptr %p[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  llvm.store %zero, %e : i32, !llvm.ptr<1>
  ocl.barrier work_group global
  llvm.store %clamped, %e : i32, !llvm.ptr<1>
  return
}

// A branch that only chooses between cheap values becomes selects if a later region uses a result.
// CHECK-LABEL: func.func @chosen_bound
// CHECK-NOT: wg.slot
// CHECK-NOT: scf.if
// CHECK-COUNT-2: arith.select
// CHECK: return
func.func @chosen_bound(%p: !llvm.ptr<1>, %n: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %l = ocl.query local_id[%zero] : i64
  %b = ocl.query group_id[%zero] : i64
  %group = arith.trunci %b : i64 to i32
  %w = arith.subi %group, %n : i32
  %isBelow = arith.cmpi slt, %w, %zero : i32
  %first = scf.if %isBelow -> i32 {
    %negated = arith.subi %zero, %w overflow<nsw> : i32
    scf.yield %negated : i32
  } else {
    scf.yield %zero : i32
  }
  %e = llvm.getelementptr %p[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  llvm.store %first, %e : i32, !llvm.ptr<1>
  ocl.barrier work_group global
  llvm.store %first, %p : i32, !llvm.ptr<1>
  return
}

// A loaded value must not be loaded again: it goes through a slot.
// CHECK-LABEL: func.func @live_across
// CHECK: %[[SLOT:.*]] = wg.slot : <i32>
// CHECK: wg.parallel
// CHECK: %[[V:.*]] = llvm.load
// CHECK-NEXT: wg.store %[[V]], %[[SLOT]]
// CHECK: wg.parallel
// CHECK: wg.load %[[SLOT]]
func.func @live_across(%p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %l = ocl.query local_id[%zero] : i64
  %e = llvm.getelementptr %p[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  %v = llvm.load %e : !llvm.ptr<1> -> i32
  ocl.barrier work_group global
  llvm.store %v, %p : i32, !llvm.ptr<1>
  return
}

// An index cannot be stored in a slot: the integer that it was cast from is.
// CHECK-LABEL: func.func @index_across
// CHECK: %[[SLOT:.*]] = wg.slot : <i32>
// CHECK-NOT: wg.slot
// CHECK: wg.store %{{.*}}, %[[SLOT]]
// CHECK: %[[N:.*]] = wg.load %[[SLOT]]
// CHECK: arith.index_castui %[[N]] : i32 to index
// CHECK: scf.index_switch
func.func @index_across(%p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %l = ocl.query local_id[%zero] : i64
  %e = llvm.getelementptr %p[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  %v = llvm.load %e : !llvm.ptr<1> -> i32
  %n = arith.index_castui %v : i32 to index
  ocl.barrier work_group global
  scf.index_switch %n
  case 1 {
    llvm.store %one, %e : i32, !llvm.ptr<1>
    scf.yield
  }
  default {
    scf.yield
  }
  return
}

// The counter is uniform: the loop carries it, and the bound is tested once per group.
// CHECK-LABEL: func.func @uniform_loop
// CHECK-NOT: wg.any
// CHECK: scf.while (%[[S:.*]] = %{{.*}}) : (i64) -> i64
// CHECK: scf.condition
// CHECK: wg.parallel {
// CHECK-NOT: mask
func.func @uniform_loop(%p: !llvm.ptr<3>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %none = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %size = ocl.query local_size[%zero] : i64
  %r = scf.while (%s = %size) : (i64) -> i64 {
    %more = arith.cmpi ugt, %s, %none : i64
    scf.condition(%more) %s : i64
  } do {
  ^bb0(%s: i64):
    llvm.store %s, %p : i64, !llvm.ptr<3>
    ocl.barrier work_group local
    %next = arith.shrui %s, %one : i64
    scf.yield %next : i64
  }
  return
}

// Work-items that return early count as arrived: the others continue under a mask.
// CHECK-LABEL: func.func @divergent_return
// CHECK: %[[MASK:.*]] = wg.slot : <i1>
// CHECK: %[[ANY:.*]] = wg.any %[[MASK]]
// CHECK: scf.if %[[ANY]]
// CHECK: wg.parallel mask %[[MASK]]
func.func @divergent_return(%p: !llvm.ptr<3>, %n: i64) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %g = ocl.query global_id[%zero] : i64
  %in = arith.cmpi ult, %g, %n : i64
  scf.if %in {
    llvm.store %zero, %p : i32, !llvm.ptr<3>
    ocl.barrier work_group local
    llvm.store %zero, %p : i32, !llvm.ptr<3>
  }
  return
}

// A uniform condition that was loaded: the region stores it in a cell, and the group loads it once.
// CHECK-LABEL: func.func @break_on_a_local_flag
// CHECK: %[[CELL:.*]] = llvm.alloca
// CHECK: scf.while
// CHECK: wg.parallel
// CHECK: llvm.store %{{.*}}, %[[CELL]]
// CHECK: %[[GO:.*]] = llvm.load %[[CELL]]
// CHECK: scf.condition(%[[GO]])
func.func @break_on_a_local_flag(%flag: !llvm.ptr<3>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  scf.while : () -> () {
    ocl.barrier work_group local
    %f = llvm.load %flag : !llvm.ptr<3> -> i32
    %go = arith.cmpi eq, %f, %zero : i32
    scf.condition(%go)
  } do {
    scf.yield
  }
  return
}

// A private array that two regions use is a slot.
// CHECK-LABEL: func.func @private_array
// CHECK: wg.slot : <!llvm.array<4 x i32>>
// CHECK: wg.parallel
// CHECK: wg.address
// CHECK: wg.parallel
// CHECK: wg.address
func.func @private_array(%p: !llvm.ptr<1>, %i: i64) attributes {ocl.kernel} {
  %one = arith.constant 1 : i32
  %a = llvm.alloca %one x !llvm.array<4 x i32> : (i32) -> !llvm.ptr
  %e = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  llvm.store %one, %e : i32, !llvm.ptr
  ocl.barrier work_group local
  %v = llvm.load %a : !llvm.ptr -> i32
  llvm.store %v, %p : i32, !llvm.ptr<1>
  return
}

// A struct argument that the kernel stores to is copied per work-item.
// CHECK-LABEL: func.func @writes_its_struct
// CHECK: llvm.alloca
// CHECK: llvm.intr.memcpy.inline
func.func @writes_its_struct(%s: !llvm.ptr {ocl.byval = !llvm.struct<(i32, i32)>}) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  llvm.store %zero, %s : i32, !llvm.ptr
  return
}

// An address in a tile, which takes more than eight operations: it is computed again.
// CHECK-LABEL: func.func @tile_address
// CHECK-NOT: wg.slot
// CHECK: wg.parallel
// CHECK: wg.parallel
// CHECK: arith.shrui
// CHECK: llvm.store
func.func @tile_address(%room: !llvm.ptr<3>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %seven = arith.constant 7 : i32
  %pitch = arith.constant 66 : i32
  %value = arith.constant 1.0 : f32
  %l = ocl.query local_id[%zero] : i64
  %n = arith.trunci %l : i64 to i32
  %hi = arith.shrui %n, %three : i32
  %lo = arith.andi %n, %seven : i32
  %row = arith.muli %lo, %pitch : i32
  %i = arith.addi %row, %hi : i32
  %w = arith.extsi %i : i32 to i64
  %p = llvm.getelementptr %room[%w] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
  %q = llvm.getelementptr %p[%l] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
  llvm.store %value, %q : f32, !llvm.ptr<3>
  ocl.barrier work_group local
  llvm.store %value, %q : f32, !llvm.ptr<3>
  return
}

// -----

func.func private @elsewhere()
func.func @calls(%c: i1) attributes {ocl.kernel} {
  // expected-error @+1 {{the call of 'elsewhere' could not be inlined}}
  func.call @elsewhere() : () -> ()
  return
}

// -----

// A reduction over the group is uniform, and so is the branch on it: no mask.
// CHECK-LABEL: func.func @group_sum
// CHECK: %[[IN:.*]] = wg.slot : <i32>
// CHECK: wg.parallel {
// CHECK: wg.store %{{.*}}, %[[IN]]
// CHECK: %[[SUM:.*]] = wg.reduce add %[[IN]] : <i32>
// CHECK: %[[C:.*]] = arith.cmpi sgt, %[[SUM]]
// CHECK: scf.if %[[C]]
// CHECK-NOT: mask
func.func @group_sum(%p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %l = ocl.linear_query local_linear_id : i32
  %s = ocl.combine reduce add work_group %l : i32
  %c = arith.cmpi sgt, %s, %zero : i32
  scf.if %c {
    ocl.barrier work_group local
    llvm.store %s, %p : i32, !llvm.ptr<1>
  }
  return
}

// -----

// A sub-group's result varies between sub-groups: each work-item loads its own. In a branch, only the work-items that
// take it participate.
// CHECK-LABEL: func.func @in_parts
// CHECK: wg.any %[[M:.*]] :
// CHECK: wg.parallel mask %[[M]]
// CHECK: wg.combine exclusive_scan add width 16 %{{.*}}, %[[OUT:.*]] mask %[[M]]
// CHECK: wg.parallel mask %[[M]]
// CHECK: wg.load %[[OUT]]
func.func @in_parts(%p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %l = ocl.linear_query local_linear_id : i32
  %c = arith.cmpi sgt, %l, %zero : i32
  scf.if %c {
    %s = ocl.combine exclusive_scan add sub_group %l : i32
    llvm.store %s, %p : i32, !llvm.ptr<1>
  }
  return
}

// -----

// A cluster larger than the sub-group is the sub-group. The last sub-group's size differs from the others', so a branch
// on it is masked.
// CHECK-LABEL: func.func @clusters
// CHECK: wg.combine reduce umin width 4
// CHECK: wg.combine reduce umin width 16
// CHECK: wg.any
func.func @clusters(%p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %two = arith.constant 2 : i32
  %l = ocl.linear_query local_linear_id : i32
  %a = ocl.combine reduce umin sub_group cluster 4 %l : i32
  %b = ocl.combine reduce umin sub_group cluster 64 %a : i32
  %n = ocl.linear_query sub_group_size : i32
  %c = arith.cmpi sgt, %n, %two : i32
  scf.if %c {
    ocl.barrier sub_group local
    llvm.store %b, %p : i32, !llvm.ptr<1>
  }
  return
}

// -----

// After the end of a region any element may be read. With a uniform lane the result is uniform.
// CHECK-LABEL: func.func @shuffles
// CHECK: wg.parallel {
// CHECK: wg.store %{{.*}}, %[[A:.*]] :
// CHECK: wg.parallel {
// CHECK: wg.read %[[A]]
// CHECK: wg.yield
// CHECK: arith.minui
// CHECK: wg.read
func.func @shuffles(%p: !llvm.ptr<1>, %lane: i32) attributes {ocl.kernel} {
  %l = ocl.linear_query local_linear_id : i32
  %a = ocl.shuffle sub_group %l[%lane] : i32
  llvm.store %a, %p : i32, !llvm.ptr<1>
  %b = ocl.shuffle work_group %l[%lane] : i32
  llvm.store %b, %p : i32, !llvm.ptr<1>
  return
}

// -----

// Shuffles in a sub-group with nothing between that has an effect share the end of a region. One whose value is computed
// from another's result needs another end. The id in a sub-group is a remainder.
// CHECK-LABEL: func.func @run_of_shuffles
// CHECK: wg.parallel {
// CHECK: arith.remui
// CHECK: wg.store
// CHECK: wg.store
// CHECK: wg.parallel {
// CHECK: arith.divui
// CHECK-COUNT-3: wg.read
// CHECK: wg.store
// CHECK: wg.parallel {
// CHECK: wg.read
// CHECK-NOT: wg.parallel
// CHECK: return
func.func @run_of_shuffles(%p: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %i = ocl.linear_query sub_group_local_id : i32
  %j = arith.muli %i, %i : i32
  %a = ocl.shuffle sub_group %i[%zero] : i32
  %b = ocl.shuffle sub_group %j[%one] : i32
  %c = ocl.shuffle sub_group %i[%one] : i32
  %s = arith.addi %a, %b : i32
  %t = arith.addi %s, %c : i32
  %d = ocl.shuffle sub_group %t[%zero] : i32
  %l = ocl.linear_query local_linear_id : i64
  %q = llvm.getelementptr %p[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  llvm.store %d, %q : i32, !llvm.ptr<1>
  return
}

// -----

// CHECK-LABEL: func.func @ballot
// CHECK: arith.shli
// CHECK: wg.combine reduce or width 16 %{{.*}}, %[[VOTES:.*]] :
// CHECK: %[[V:.*]] = wg.load %[[VOTES]]
// CHECK: vector.from_elements %[[V]]
func.func @ballot(%p: !llvm.ptr<1>, %c: i1) attributes {ocl.kernel} {
  %b = ocl.ballot %c : vector<4xi32>
  llvm.store %b, %p : vector<4xi32>, !llvm.ptr<1>
  return
}

// A division by a power of two is cheap to recompute, and a slot would hide its stride from the vectoriser.
// CHECK-LABEL: func.func @shift
// CHECK-NOT: wg.slot
// CHECK: wg.parallel
// CHECK: arith.divui
// CHECK: wg.parallel
// CHECK: arith.divui
func.func @shift(%p: !llvm.ptr<3>, %q: !llvm.ptr<1>) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %by = arith.constant 16 : i64
  %l = ocl.query local_id[%zero] : i64
  %d = arith.divui %l, %by : i64
  %e = llvm.getelementptr %p[%d] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
  llvm.store %zero, %e : i32, !llvm.ptr<3>
  ocl.barrier work_group local
  %f = llvm.getelementptr %q[%d] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  llvm.store %zero, %f : i32, !llvm.ptr<1>
  return
}

// -----

// In a dimension of one work-item, ids are the same for the whole group: the loop carries a value of the group.
// CHECK-LABEL: func.func @one_row
// CHECK-NOT: wg.slot
// CHECK: ocl.query global_id
// CHECK: scf.while {{.*}} : (i64) -> i64
// CHECK: wg.parallel
module attributes {ocl.local_size = array<i64: 64, 1, 1>} {
func.func @one_row(%p: !llvm.ptr<1>, %n: i64) attributes {ocl.kernel} {
  %y = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %first = ocl.query global_id[%y] : i64
  scf.while (%i = %first) : (i64) -> i64 {
    %c = arith.cmpi slt, %i, %n : i64
    scf.condition(%c) %i : i64
  } do {
  ^bb0(%i: i64):
    %e = llvm.getelementptr %p[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    llvm.store %zero, %e : i32, !llvm.ptr<1>
    ocl.barrier work_group local
    %next = arith.addi %i, %one : i64
    scf.yield %next : i64
  }
  return
}
}
