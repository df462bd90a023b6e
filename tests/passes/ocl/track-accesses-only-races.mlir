// RUN: kiln-opt %s --ocl-track-accesses="only-races" --split-input-file | FileCheck %s
// RUN: kiln-opt %s --ocl-track-accesses --split-input-file | FileCheck %s --check-prefix=ALL

// Between the two barriers nothing writes the tile. For KILN_CHECK=init its reads are noted all the same.
// CHECK-LABEL: func.func @tile
// CHECK: ocl.track_access write
// CHECK: ocl.barrier
// CHECK-NOT: ocl.track_access read
// CHECK: ocl.barrier
// CHECK-NEXT: scf.yield
// ALL-LABEL: func.func @tile
// ALL: ocl.barrier
// ALL: ocl.track_access read
func.func @tile(%tile: !llvm.ptr<3>, %other: !llvm.ptr<3>, %n: i32) attributes {ocl.kernel} {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %v = arith.constant 0.0 : f32
  scf.while (%i = %zero) : (i32) -> i32 {
    %c = arith.cmpi slt, %i, %n : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    llvm.store %v, %tile : f32, !llvm.ptr<3>
    ocl.barrier work_group local
    %end = scf.while (%k = %zero) : (i32) -> i32 {
      %c = arith.cmpi slt, %k, %n : i32
      scf.condition(%c) %k : i32
    } do {
    ^bb0(%k: i32):
      %x = llvm.load volatile %tile : !llvm.ptr<3> -> f32
      %next = arith.addi %k, %one : i32
      scf.yield %next : i32
    }
    ocl.barrier work_group local
    scf.yield %end : i32
  }
  return
}

// -----

// The next iteration writes what others still read: no barrier of local memory follows.
// CHECK-LABEL: func.func @iterations
// CHECK: ocl.track_access write
// CHECK: ocl.barrier
// CHECK: ocl.track_access read
func.func @iterations(%tile: !llvm.ptr<3>, %n: i32) attributes {ocl.kernel} {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %v = arith.constant 0.0 : f32
  scf.while (%i = %zero) : (i32) -> i32 {
    %c = arith.cmpi slt, %i, %n : i32
    scf.condition(%c) %i : i32
  } do {
  ^bb0(%i: i32):
    llvm.store %v, %tile : f32, !llvm.ptr<3>
    ocl.barrier work_group local
    %x = llvm.load volatile %tile : !llvm.ptr<3> -> f32
    ocl.barrier work_group global
    %next = arith.addi %i, %one : i32
    scf.yield %next : i32
  }
  return
}

// -----

// Another argument is other memory; the same one, through another pointer, is not.
// CHECK-LABEL: func.func @objects
// CHECK: ocl.barrier
// CHECK: ocl.track_access read %arg0
// CHECK-NEXT: llvm.load
// CHECK-NEXT: llvm.load
// CHECK: ocl.track_access write
func.func @objects(%a: !llvm.ptr<3>, %b: !llvm.ptr<3>, %i: i64, %v: f32) attributes {ocl.kernel} {
  ocl.barrier work_group local
  %x = llvm.load volatile %a : !llvm.ptr<3> -> f32
  %y = llvm.load volatile %b : !llvm.ptr<3> -> f32
  %p = llvm.getelementptr %a[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
  llvm.store %v, %p : f32, !llvm.ptr<3>
  return
}

// -----

// Global memory is other groups' as well. An atomic operation writes.
// CHECK-LABEL: func.func @others
// CHECK: ocl.track_access read %arg0
// CHECK: ocl.track_access read %arg1
// CHECK: ocl.track_access atomic %arg1
func.func @others(%a: !llvm.ptr<1>, %b: !llvm.ptr<3>, %v: i32) attributes {ocl.kernel} {
  %x = llvm.load volatile %a : !llvm.ptr<1> -> i32
  %y = llvm.load volatile %b : !llvm.ptr<3> -> i32
  %old = ocl.atomic_rmw add %b, %v relaxed device : !llvm.ptr<3>, i32
  return
}

// -----

// A barrier of sub-groups, and one in a graph of blocks.
// CHECK-LABEL: func.func @sub_group
// CHECK: ocl.track_access read
// CHECK-LABEL: func.func @graph
// CHECK: ocl.track_access read
func.func @sub_group(%a: !llvm.ptr<3>, %v: i32) attributes {ocl.kernel} {
  llvm.store %v, %a : i32, !llvm.ptr<3>
  ocl.barrier sub_group local
  %x = llvm.load volatile %a : !llvm.ptr<3> -> i32
  return
}
func.func @graph(%a: !llvm.ptr<3>, %v: i32) attributes {ocl.kernel} {
  ocl.barrier work_group local
  cf.br ^next
^next:
  llvm.store %v, %a : i32, !llvm.ptr<3>
  %x = llvm.load volatile %a : !llvm.ptr<3> -> i32
  return
}

// -----

// The work-item writes next what it reads: one note is enough, unless the write is in a branch or after a barrier.
// CHECK-LABEL: func.func @own
// CHECK-NOT: ocl.track_access read
// CHECK: ocl.track_access write
// CHECK-LABEL: func.func @branch
// CHECK: ocl.track_access read
// CHECK: ocl.track_access write
// CHECK-LABEL: func.func @later
// CHECK: ocl.track_access read
// CHECK: ocl.track_access write
func.func @own(%a: !llvm.ptr<1>) attributes {ocl.kernel} {
  %x = llvm.load %a : !llvm.ptr<1> -> f32
  %y = arith.addf %x, %x : f32
  llvm.store %y, %a : f32, !llvm.ptr<1>
  return
}
func.func @branch(%a: !llvm.ptr<1>, %c: i1) attributes {ocl.kernel} {
  %x = llvm.load %a : !llvm.ptr<1> -> f32
  scf.if %c {
    llvm.store %x, %a : f32, !llvm.ptr<1>
  }
  return
}
func.func @later(%a: !llvm.ptr<1>) attributes {ocl.kernel} {
  %x = llvm.load %a : !llvm.ptr<1> -> f32
  ocl.barrier work_group global
  llvm.store %x, %a : f32, !llvm.ptr<1>
  return
}

// -----

// A write through a generic pointer may be of local memory: the read between the barriers may be a race with it.
// CHECK-LABEL: func.func @generic
// CHECK: ocl.barrier
// CHECK: ocl.track_access read %arg0
// CHECK: ocl.barrier
func.func @generic(%tile: !llvm.ptr<3>, %p: !llvm.ptr<4>, %v: i32) attributes {ocl.kernel} {
  ocl.barrier work_group local
  %x = llvm.load volatile %tile : !llvm.ptr<3> -> i32
  llvm.store %v, %p : i32, !llvm.ptr<4>
  ocl.barrier work_group local
  return
}
