// RUN: kiln-opt %s --ocl-check-accesses | FileCheck %s

// The range of the argument is at the start of the kernel; the access gets the checked pointer.
// CHECK-LABEL: func.func @argument
// CHECK: %[[BEGIN:.*]], %[[SIZE:.*]] = ocl.argument_range 0 : <1>
// CHECK: %[[P:.*]] = llvm.getelementptr %arg0
// CHECK: %[[FOUR:.*]] = arith.constant 4 : i64
// CHECK: %[[X:.*]] = ocl.query global_id
// CHECK: %[[NONE:.*]] = arith.constant -1 : i64
// CHECK: %[[Q:.*]] = ocl.check_access read %[[P]] in %[[BEGIN]][%[[SIZE]]] bytes %[[FOUR]] item(%[[X]], %[[NONE]], %{{.*}}) "from" argument 0
// CHECK: llvm.load %[[Q]]
func.func @argument(%a: !llvm.ptr<1> {ocl.name = "from"}, %i: i64) attributes {ocl.kernel} {
  %p = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  %v = llvm.load %p : !llvm.ptr<1> -> f32
  return
}

// Local memory begins at the argument. The kernel depends on y.
// CHECK-LABEL: func.func @local
// CHECK: %{{.*}}, %[[SIZE:.*]] = ocl.argument_range 0 : <3>
// CHECK: ocl.check_access atomic %{{.*}} in %arg0[%[[SIZE]]]
// CHECK-NOT: arith.constant -1
func.func @local(%a: !llvm.ptr<3>, %v: i32) attributes {ocl.kernel} {
  %one = arith.constant 1 : i32
  %y = ocl.query local_id[%one] : i64
  %p = llvm.getelementptr %a[%y] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
  %old = ocl.atomic_rmw add %p, %v relaxed device : !llvm.ptr<3>, i32
  return
}

// A constant offset in a variable needs no check, unless it is outside. Accesses of private variables are left out by a
// branch on their offset.
// CHECK-LABEL: func.func @variable
// CHECK: llvm.store %arg1, %{{.*}}
// CHECK: llvm.store %arg1, %{{.*}}
// CHECK: %[[NEVER:.*]] = arith.constant false
// CHECK: scf.if %[[NEVER]]
// CHECK: %[[LIMIT:.*]] = arith.constant 12 : i64
// CHECK: %[[FITS:.*]] = arith.cmpi ule, %[[OFFSET:.*]], %{{.*}}
// CHECK: scf.if %[[FITS]]
// CHECK:   llvm.store %arg1, %{{.*}}
// CHECK: } else {
// CHECK:   ocl.check_launch
// CHECK:   llvm.call
// CHECK-NOT: ocl.check_access
func.func @variable(%i: i32, %v: i32) attributes {ocl.kernel} {
  %one = arith.constant 1 : i32
  %a = llvm.alloca %one x !llvm.array<4 x i32> : (i32) -> !llvm.ptr
  llvm.store %v, %a : i32, !llvm.ptr
  %last = llvm.getelementptr %a[3] : (!llvm.ptr) -> !llvm.ptr, i32
  llvm.store %v, %last : i32, !llvm.ptr
  %after = llvm.getelementptr %a[4] : (!llvm.ptr) -> !llvm.ptr, i32
  llvm.store %v, %after : i32, !llvm.ptr
  %p = llvm.getelementptr %a[%i] : (!llvm.ptr, i32) -> !llvm.ptr, i32
  llvm.store %v, %p : i32, !llvm.ptr
  return
}

// A pointer that a loop advances points into the argument.
// CHECK-LABEL: func.func @loop
// CHECK: ocl.check_access read %{{.*}} in %{{.*}}[%{{.*}}] {{.*}} argument 0
func.func @loop(%a: !llvm.ptr<1>, %c: i1) attributes {ocl.kernel} {
  cf.br ^body(%a : !llvm.ptr<1>)
^body(%p: !llvm.ptr<1>):
  %v = llvm.load %p : !llvm.ptr<1> -> f32
  %next = llvm.getelementptr %p[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
  cf.cond_br %c, ^body(%next : !llvm.ptr<1>), ^end
^end:
  return
}

// One of two arguments, and a pointer from memory: the runtime decides.
// CHECK-LABEL: func.func @unknown
// CHECK: %[[NULL:.*]] = llvm.mlir.zero : !llvm.ptr<1>
// CHECK: ocl.check_access read %{{.*}} in %[[NULL]][%{{.*}}] {{.*}} "" : <1>, <1>
// CHECK: ocl.check_access read %{{.*}} in %{{.*}} "" : <1>, <1>
func.func @unknown(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %c: i1) attributes {ocl.kernel} {
  %p = arith.select %c, %a, %b : !llvm.ptr<1>
  %q = llvm.load %p : !llvm.ptr<1> -> !llvm.ptr<1>
  %v = llvm.load %q : !llvm.ptr<1> -> f32
  return
}

// Kiln's own memory, and functions that are not kernels.
// CHECK-LABEL: func.func @trusted
// CHECK-NOT: ocl.check_access
func.func @trusted(%i: !llvm.ptr {ocl.kind = "image", ocl.byval = !llvm.struct<(i64, i64)>}) attributes {ocl.kernel} {
  %b = ocl.printf_buffer : !llvm.ptr<1>
  %v = llvm.load %b : !llvm.ptr<1> -> i64
  %w = llvm.load %i {ocl.trusted} : !llvm.ptr -> i64
  return
}
func.func @called(%a: !llvm.ptr<1>) {
  %v = llvm.load %a : !llvm.ptr<1> -> i64
  return
}
