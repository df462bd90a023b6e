// passes/ocl/OwnBytes and passes/analysis/IndexForm: accesses that no two work-items of a launch share.
// RUN: kiln-opt %s --ocl-track-accesses=only-races | FileCheck %s

// Each work-item accesses 8 bytes at 8 times its id: no other one does in a launch of one dimension.
// CHECK-LABEL: func.func @own
// CHECK-DAG: %[[SIZE:.*]] = ocl.query global_size[%c0_i32
// CHECK-DAG: arith.muli
// CHECK-DAG: arith.constant 2147483648 : i64
// CHECK-DAG: %[[Y:.*]] = ocl.query global_size[%c1_i32
// CHECK-DAG: arith.cmpi eq, %[[Y]]
// CHECK-DAG: %[[Z:.*]] = ocl.query global_size[%c2_i32
// CHECK-DAG: arith.cmpi eq, %[[Z]]
// CHECK: %[[FLAGS:.*]] = ocl.argument_tracked 0
// CHECK: arith.andi %[[FLAGS]]
// CHECK: %[[SHARED:.*]] = arith.ori
// CHECK: scf.if %[[SHARED]] {
// CHECK: ocl.track_access write
// CHECK: scf.if %[[SHARED]] {
// CHECK: ocl.track_access write
func.func @own(%a: !llvm.ptr<1>, %v: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %i = ocl.query global_id[%zero] : i64
  %twice = arith.shli %i, %one : i64
  %next = arith.addi %twice, %one : i64
  %p = llvm.getelementptr %a[%twice] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  llvm.store %v, %p : i32, !llvm.ptr<1>
  %q = llvm.getelementptr %a[%next] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  llvm.store %v, %q : i32, !llvm.ptr<1>
  return
}

// Of the two reads one is of other work-items' bytes, so it is noted, and the write as well.
// CHECK-LABEL: func.func @neighbour
// CHECK: scf.if
// CHECK: ocl.track_access read
// CHECK-NEXT: }
// CHECK: llvm.load
// CHECK-NOT: scf.if
// CHECK: ocl.track_access read
// CHECK: llvm.load
// CHECK-NOT: scf.if
// CHECK: ocl.track_access write
func.func @neighbour(%a: !llvm.ptr<1>, %width: i32, %v: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %x = ocl.query global_id[%zero] : i32
  %y = ocl.query global_id[%one] : i32
  %row = arith.muli %y, %width : i32
  %at = arith.addi %row, %x : i32
  %wide = arith.extsi %at : i32 to i64
  %p = llvm.getelementptr %a[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  %own = llvm.load volatile %p : !llvm.ptr<1> -> i32
  ocl.barrier work_group local
  %q = llvm.getelementptr %p[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
  %other = llvm.load volatile %q : !llvm.ptr<1> -> i32
  llvm.store %v, %p : i32, !llvm.ptr<1>
  return
}

// Writes of two forms; a number from memory; an atomic operation; the size of a group in the index of each work-item is
// that of all only if the groups are equal.
// CHECK-LABEL: func.func @shared
// CHECK-NOT: scf.if
// CHECK-LABEL: func.func @sizes
// CHECK-DAG: ocl.query num_groups
// CHECK-DAG: ocl.query enqueued_local_size
// CHECK: scf.if
func.func @shared(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %c: !llvm.ptr<1>, %n: i64, %v: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %i = ocl.query global_id[%zero] : i64
  %next = arith.addi %i, %n : i64
  %p = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  llvm.store %v, %p : i32, !llvm.ptr<1>
  %q = llvm.getelementptr %a[%next] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  llvm.store %v, %q : i32, !llvm.ptr<1>
  %loaded = llvm.load volatile %p : !llvm.ptr<1> -> i64
  %r = llvm.getelementptr %b[%loaded] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  llvm.store %v, %r : i32, !llvm.ptr<1>
  %s = llvm.getelementptr %c[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  %old = ocl.atomic_rmw add %s, %v relaxed device : !llvm.ptr<1>, i32
  return
}
func.func @sizes(%a: !llvm.ptr<1>, %v: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %l = ocl.query local_id[%zero] : i64
  %group = ocl.query group_id[%zero] : i64
  %size = ocl.query local_size[%zero] : i64
  %first = arith.muli %group, %size : i64
  %i = arith.addi %first, %l : i64
  %p = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  llvm.store %v, %p : i32, !llvm.ptr<1>
  return
}

// An id and what the mask leaves of it are two digits if the argument is a power of two; the accesses are at two
// distances.
// CHECK-LABEL: func.func @pairs
// CHECK: %[[DISTANCE:.*]] = arith.extui %arg1
// CHECK: arith.minui
// CHECK: ocl.query global_offset
// CHECK: arith.divui
// CHECK: ocl.argument_tracked 0
// CHECK: %[[SHARED:.*]] = arith.ori
// CHECK: scf.if %[[SHARED]] {
// CHECK: ocl.track_access write
// CHECK: scf.if %[[SHARED]] {
// CHECK: ocl.track_access write
func.func @pairs(%a: !llvm.ptr<1>, %distance: i32, %v: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %less = arith.constant -1 : i32
  %wide = ocl.query global_id[%zero] : i64
  %pair = arith.trunci %wide : i64 to i32
  %mask = arith.addi %distance, %less : i32
  %low = arith.andi %pair, %mask : i32
  %twice = arith.shli %pair, %one : i32
  %left = arith.subi %twice, %low : i32
  %right = arith.addi %left, %distance : i32
  %l = arith.extui %left : i32 to i64
  %r = arith.extui %right : i32 to i64
  %p = llvm.getelementptr %a[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  llvm.store %v, %p : i32, !llvm.ptr<1>
  %q = llvm.getelementptr %a[%r] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  llvm.store %v, %q : i32, !llvm.ptr<1>
  return
}

// The size of a group differs between groups, also where it is the same for all work-items of one.
// CHECK-LABEL: func.func @behind_size
// CHECK-DAG: ocl.query num_groups
// CHECK-DAG: ocl.query enqueued_local_size
// CHECK: scf.if
func.func @behind_size(%a: !llvm.ptr<1>, %v: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %i = ocl.query global_id[%zero] : i64
  %size = ocl.query local_size[%zero] : i64
  %at = arith.addi %i, %size : i64
  %p = llvm.getelementptr %a[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  llvm.store %v, %p : i32, !llvm.ptr<1>
  return
}

// One work-item of each group writes; two do, so that a group must have one.
// CHECK-LABEL: func.func @one_of_group
// CHECK-NOT: ocl.query enqueued_local_size
// CHECK: scf.if %{{.*}} {
// CHECK: scf.if
// CHECK: ocl.track_access write
// CHECK-LABEL: func.func @two_of_group
// CHECK: ocl.query enqueued_local_size
func.func @one_of_group(%a: !llvm.ptr<1>, %v: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : i64
  %l = ocl.query local_id[%zero] : i64
  %group = ocl.query group_id[%zero] : i64
  %first = arith.cmpi eq, %l, %c0 : i64
  scf.if %first {
    %p = llvm.getelementptr %a[%group] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    llvm.store %v, %p : i32, !llvm.ptr<1>
  }
  return
}
func.func @two_of_group(%a: !llvm.ptr<1>, %v: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %l = ocl.query local_id[%zero] : i64
  %group = ocl.query group_id[%zero] : i64
  %first = arith.cmpi eq, %l, %c0 : i64
  %second = arith.cmpi eq, %l, %c1 : i64
  %p = llvm.getelementptr %a[%group] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  scf.if %first {
    llvm.store %v, %p : i32, !llvm.ptr<1>
  }
  scf.if %second {
    llvm.store %v, %p : i32, !llvm.ptr<1>
  }
  return
}

// The condition bounds the id: a row has at most %width elements. The other write has another bound.
// CHECK-LABEL: func.func @bounded
// CHECK: %[[WIDTH:.*]] = arith.extsi %arg1 : i32 to i64
// CHECK: %[[BOUND:.*]] = arith.select
// CHECK: arith.minui %{{.*}}, %[[BOUND]]
// CHECK-LABEL: func.func @two_bounds
// CHECK-NOT: arith.select
func.func @bounded(%a: !llvm.ptr<1>, %width: i32, %v: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %x = ocl.query global_id[%zero] : i32
  %y = ocl.query global_id[%one] : i32
  %out = arith.cmpi sge, %x, %width : i32
  cf.cond_br %out, ^end, ^in
^in:
  %row = arith.muli %y, %width : i32
  %at = arith.addi %row, %x : i32
  %wide = arith.extsi %at : i32 to i64
  %p = llvm.getelementptr %a[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  llvm.store %v, %p : i32, !llvm.ptr<1>
  cf.br ^end
^end:
  return
}
func.func @two_bounds(%a: !llvm.ptr<1>, %width: i32, %other: i32, %v: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %x = ocl.query global_id[%zero] : i32
  %y = ocl.query global_id[%one] : i32
  %row = arith.muli %y, %width : i32
  %at = arith.addi %row, %x : i32
  %wide = arith.extsi %at : i32 to i64
  %p = llvm.getelementptr %a[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  %first = arith.cmpi slt, %x, %width : i32
  scf.if %first {
    llvm.store %v, %p : i32, !llvm.ptr<1>
  }
  %second = arith.cmpi slt, %x, %other : i32
  scf.if %second {
    llvm.store %v, %p : i32, !llvm.ptr<1>
  }
  return
}

// Accesses at three distances; a number that is divided and is equal to an id modulo 2^32 only.
// CHECK-LABEL: func.func @not_divided
// CHECK-NOT: scf.if
func.func @not_divided(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %n: i32, %v: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %i = ocl.query global_id[%zero] : i64
  %wide_n = arith.extui %n : i32 to i64
  %less = arith.subi %zero, %n : i32
  %wide_less = arith.extui %less : i32 to i64
  %second = arith.addi %i, %wide_n : i64
  %third = arith.addi %second, %wide_n : i64
  %p = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  llvm.store %v, %p : i32, !llvm.ptr<1>
  %q = llvm.getelementptr %a[%second] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  llvm.store %v, %q : i32, !llvm.ptr<1>
  %r = llvm.getelementptr %a[%third] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  llvm.store %v, %r : i32, !llvm.ptr<1>
  %beyond = arith.addi %second, %wide_less : i64
  %row = arith.divui %beyond, %wide_n : i64
  %column = arith.remui %beyond, %wide_n : i64
  %first = arith.muli %row, %wide_n : i64
  %at = arith.addi %first, %column : i64
  %s = llvm.getelementptr %b[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  llvm.store %v, %s : i32, !llvm.ptr<1>
  return
}

// Addresses and conditions of local memory are computed from local ids and arguments.
// CHECK-LABEL: func.func @alike
// CHECK-SAME: ocl.one_local_pattern
func.func @alike(%a: !llvm.ptr<3>, %width: i64, %v: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %l = ocl.query local_id[%zero] : i64
  %less = arith.cmpi ult, %l, %width : i64
  scf.if %less {
    %p = llvm.getelementptr %a[%l] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
    llvm.store %v, %p : i32, !llvm.ptr<3>
  }
  return
}

// A condition depends on the group, the number of iterations is read from memory, and an address is a global id.
// CHECK-LABEL: func.func @by_condition
// CHECK-NOT: ocl.one_local_pattern
// CHECK-LABEL: func.func @by_iterations
// CHECK-NOT: ocl.one_local_pattern
// CHECK-LABEL: func.func @by_address
// CHECK-NOT: ocl.one_local_pattern
func.func @by_condition(%a: !llvm.ptr<3>, %v: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %l = ocl.query local_id[%zero] : i64
  %g = ocl.query group_id[%zero] : i64
  %less = arith.cmpi ult, %l, %g : i64
  scf.if %less {
    %p = llvm.getelementptr %a[%l] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
    llvm.store %v, %p : i32, !llvm.ptr<3>
  }
  return
}
func.func @by_iterations(%a: !llvm.ptr<3>, %n: !llvm.ptr<1>, %v: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %count = llvm.load %n : !llvm.ptr<1> -> i64
  scf.for %k = %zero to %count step %one : i64 {
    %p = llvm.getelementptr %a[%k] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
    llvm.store %v, %p : i32, !llvm.ptr<3>
  }
  return
}
func.func @by_address(%a: !llvm.ptr<3>, %v: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %i = ocl.query global_id[%zero] : i64
  %p = llvm.getelementptr %a[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
  llvm.store %v, %p : i32, !llvm.ptr<3>
  return
}
