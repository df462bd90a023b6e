// passes/cpu/GroupNotes: accesses that all work-items of a group execute.
// RUN: kiln-opt %s --ocl-to-wg | FileCheck %s

// One note for the group, with the steps in x and y, if the access and the guard fit; else one of each access.
// CHECK-LABEL: func.func @guarded
// CHECK: %[[NOTED:.*]] = scf.if %{{.*}} -> (i1) {
// CHECK:   ocl.query group_id
// CHECK:   %[[CALLED:.*]] = scf.if %{{.*}} -> (i1) {
// CHECK:     ocl.track_group read %{{.*}} bytes %{{.*}} step %{{.*}} row %{{.*}} pitch %{{.*}} rows %{{.*}} "a" argument 0 granule 2
// CHECK:   } else {
// CHECK:     scf.yield %false
// CHECK:   }
// CHECK:   scf.yield %[[CALLED]]
// CHECK: } else {
// CHECK:   scf.yield %true
// CHECK: }
// CHECK: wg.parallel {
// CHECK:   %[[LEFT:.*]] = arith.xori %[[NOTED]], %true
// CHECK:   scf.if %[[LEFT]] {
// CHECK:     ocl.track_access read
// CHECK:   }
func.func @guarded(%a: !llvm.ptr<1>, %width: i32) attributes {ocl.kernel, ocl.tracked, ocl.only_races} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %wide_x = ocl.query global_id[%zero] : i64
  %x = arith.trunci %wide_x : i64 to i32
  %wide_y = ocl.query global_id[%one] : i64
  %y = arith.trunci %wide_y : i64 to i32
  %out = arith.cmpi uge, %x, %width : i32
  cf.cond_br %out, ^end, ^in
^in:
  %row = arith.muli %y, %width : i32
  %i = arith.addi %row, %x : i32
  %wide = arith.extui %i : i32 to i64
  %p = llvm.getelementptr %a[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  %item = ocl.linear_query local_linear_id : i64
  ocl.track_access read %p bytes %c4 step %c0 lanes %c1 item %item "a" argument 0 granule 2 : !llvm.ptr<1>
  cf.br ^end
^end:
  return
}

// A condition from memory, a loop, branches that have met again, and an index that is no sum of products.
// CHECK-LABEL: func.func @others
// CHECK-NOT: ocl.track_group
func.func @others(%a: !llvm.ptr<1>, %n: i64) attributes {ocl.kernel, ocl.tracked, ocl.only_races} {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %i = ocl.query global_id[%zero] : i64
  %item = ocl.linear_query local_linear_id : i64
  %p = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  %loaded = llvm.load volatile %p : !llvm.ptr<1> -> i64
  %less = arith.cmpi slt, %loaded, %n : i64
  scf.if %less {
    ocl.track_access read %p bytes %c4 step %c0 lanes %c1 item %item "a" argument 0 granule 2 : !llvm.ptr<1>
  }
  scf.for %k = %c0 to %n step %c1 : i64 {
    ocl.track_access read %p bytes %c4 step %c0 lanes %c1 item %item "a" argument 0 granule 2 : !llvm.ptr<1>
  }
  %square = arith.muli %i, %i : i64
  %q = llvm.getelementptr %a[%square] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  ocl.track_access read %q bytes %c4 step %c0 lanes %c1 item %item "a" argument 0 granule 2 : !llvm.ptr<1>
  cf.cond_br %less, ^one, ^both
^one:
  cf.br ^both
^both:
  ocl.track_access read %p bytes %c4 step %c0 lanes %c1 item %item "a" argument 0 granule 2 : !llvm.ptr<1>
  return
}

// An atomic operation may order accesses, a note for `init` must be in its place, and so must one of local memory.
// CHECK-LABEL: func.func @atomic
// CHECK-NOT: ocl.track_group
func.func @atomic(%a: !llvm.ptr<1>) attributes {ocl.kernel, ocl.tracked, ocl.only_races} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %item = ocl.linear_query local_linear_id : i64
  ocl.track_access read %a bytes %c4 step %c0 lanes %c1 item %item "a" argument 0 granule 2 : !llvm.ptr<1>
  ocl.track_access atomic %a bytes %c4 step %c0 lanes %c1 item %item "a" argument 0 granule 2 : !llvm.ptr<1>
  return
}
// CHECK-LABEL: func.func @init
// CHECK-NOT: ocl.track_group
func.func @init(%a: !llvm.ptr<1>, %l: !llvm.ptr<3>) attributes {ocl.kernel, ocl.tracked} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %item = ocl.linear_query local_linear_id : i64
  ocl.track_access read %a bytes %c4 step %c0 lanes %c1 item %item "a" argument 0 granule 2 : !llvm.ptr<1>
  return
}
// CHECK-LABEL: func.func @local
// CHECK-NOT: ocl.track_group
func.func @local(%l: !llvm.ptr<3>) attributes {ocl.kernel, ocl.tracked, ocl.only_races} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %item = ocl.linear_query local_linear_id : i64
  ocl.track_access read %l bytes %c4 step %c0 lanes %c1 item %item "l" argument 0 granule 2 : !llvm.ptr<3>
  return
}
