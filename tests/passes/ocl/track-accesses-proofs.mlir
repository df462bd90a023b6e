// RUN: kiln-opt %s --ocl-track-accesses=only-races | FileCheck %s

// Each work-item accesses 8 bytes at 8 times its id: no other one does.
// CHECK-LABEL: func.func @own
// CHECK: ocl.track_access write %{{.*}} "" argument 0 granule 2 {ocl.own_bytes}
// CHECK: ocl.track_access write %{{.*}} "" argument 0 granule 2 {ocl.own_bytes}
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

// The bytes of two work-items overlap; the ids of dimension 1; local ids; an element of all.
// CHECK-LABEL: func.func @shared
// CHECK-NOT: ocl.own_bytes
// CHECK-LABEL: func.func @end
func.func @shared(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %c: !llvm.ptr<1>, %d: !llvm.ptr<1>, %v: i32) attributes {ocl.kernel} {
  %zero = arith.constant 0 : i32
  %first = arith.constant 1 : i32
  %one = arith.constant 1 : i64
  %i = ocl.query global_id[%zero] : i64
  %j = ocl.query global_id[%first] : i64
  %l = ocl.query local_id[%zero] : i64
  %next = arith.addi %i, %one : i64
  %p = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  llvm.store %v, %p : i32, !llvm.ptr<1>
  %q = llvm.getelementptr %a[%next] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  llvm.store %v, %q : i32, !llvm.ptr<1>
  %r = llvm.getelementptr %b[%j] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  llvm.store %v, %r : i32, !llvm.ptr<1>
  %s = llvm.getelementptr %c[%l] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
  llvm.store %v, %s : i32, !llvm.ptr<1>
  llvm.store %v, %d : i32, !llvm.ptr<1>
  return
}
func.func @end() {
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
