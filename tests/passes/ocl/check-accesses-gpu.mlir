// RUN: kiln-opt %s --ocl-set-target=target=amdgpu,sub_group_size=64 --ocl-check-accesses | FileCheck %s

// An access is in a branch, which decides by the argument's range. The library's function decides about the rest.
// CHECK-LABEL: func.func @argument
// CHECK-SAME: ocl.check_sites = ["{{.*}}from\00{{.*}}"]
// CHECK: %[[BEGIN:.*]], %[[SIZE:.*]] = ocl.argument_range 0 : <1>
// CHECK: %[[P:.*]] = llvm.getelementptr %arg0
// CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint %[[P]] : !llvm.ptr<1> to i64
// CHECK: %[[BASE:.*]] = llvm.ptrtoint %[[BEGIN]] : !llvm.ptr<1> to i64
// CHECK: %[[OFFSET:.*]] = arith.subi %[[ADDRESS]], %[[BASE]]
// CHECK: %[[FITS:.*]] = arith.andi
// CHECK: %[[RIGHT:.*]] = scf.if %[[FITS]] -> (i1)
// CHECK: } else {
// CHECK:   ocl.check_launch
// CHECK:   %[[SITE:.*]] = arith.constant 0 : i32
// CHECK:   %[[RANGE:.*]] = arith.constant 0 : i32
// CHECK:   ocl.report_access %{{.*}} site %[[SITE]] range %[[RANGE]] at %[[ADDRESS]] bytes %{{.*}} in %[[BASE]][%[[SIZE]]]
// CHECK: scf.if %[[RIGHT]] -> (f32)
// CHECK:   llvm.load %[[P]]
// CHECK: } else {
// CHECK:   arith.constant 0.000000e+00
func.func @argument(%a: !llvm.ptr<1> {ocl.name = "from"}, %i: i64) -> f32 attributes {ocl.kernel} {
  %p = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  %v = llvm.load %p : !llvm.ptr<1> -> f32
  return %v : f32
}

// An offset in local memory, without addresses.
// CHECK-LABEL: func.func @local
// CHECK: %{{.*}}, %[[SIZE:.*]] = ocl.argument_range 0 : <3>
// CHECK-NOT: llvm.ptrtoint
// CHECK: ocl.report_access {{.*}} range %{{.*}} at %[[OFFSET:.*]] bytes %{{.*}} in %{{.*}}[%[[SIZE]]]
// CHECK: scf.if %{{.*}} -> (i32)
// CHECK:   ocl.atomic_rmw
func.func @local(%a: !llvm.ptr<3>, %i: i64, %v: i32) -> i32 attributes {ocl.kernel} {
  %p = llvm.getelementptr %a[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
  %old = ocl.atomic_rmw add %p, %v relaxed device : !llvm.ptr<3>, i32
  return %old : i32
}

// A constant offset in a variable needs no check.
// CHECK-LABEL: func.func @variable
// CHECK: llvm.store %arg1, %{{.*}}
// CHECK-NOT: ocl.report_access
// CHECK: llvm.store %arg1, %{{.*}}
// CHECK: ocl.report_access
// CHECK: scf.if
// CHECK:   llvm.store %arg1
func.func @variable(%i: i32, %v: i32) attributes {ocl.kernel} {
  %one = arith.constant 1 : i32
  %a = llvm.alloca %one x !llvm.array<4 x i32> : (i32) -> !llvm.ptr
  llvm.store %v, %a : i32, !llvm.ptr
  %last = llvm.getelementptr %a[3] : (!llvm.ptr) -> !llvm.ptr, i32
  llvm.store %v, %last : i32, !llvm.ptr
  %p = llvm.getelementptr %a[%i] : (!llvm.ptr, i32) -> !llvm.ptr, i32
  llvm.store %v, %p : i32, !llvm.ptr
  return
}

// A pointer that is loaded is compared with the range after the last argument's, and reported without an object.
// CHECK-LABEL: func.func @loaded
// CHECK: %[[BEGIN:.*]], %[[SIZE:.*]] = ocl.argument_range 1 : <1>
// CHECK: ocl.report_finding
// CHECK: %[[NONE:.*]] = arith.constant 0 : i64
// CHECK: ocl.check_launch
// CHECK: arith.constant 1 : i32
// CHECK: %[[RANGE:.*]] = arith.constant 1 : i32
// CHECK: ocl.report_access {{.*}} range %[[RANGE]] {{.*}} in %[[NONE]][%[[NONE]]]
func.func @loaded(%a: !llvm.ptr<1>) attributes {ocl.kernel} {
  %p = llvm.load %a {ocl.trusted} : !llvm.ptr<1> -> !llvm.ptr<1>
  %v = llvm.load %p : !llvm.ptr<1> -> i32
  llvm.store %v, %a {ocl.trusted} : i32, !llvm.ptr<1>
  return
}

// A misaligned address is reported first. The access is divided if it is in its object; atomic operations are left out.
// CHECK-LABEL: func.func @misaligned
// CHECK: %[[P:.*]] = llvm.getelementptr %arg0
// CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint %[[P]]
// CHECK: %[[REST:.*]] = arith.andi %[[ADDRESS]], %{{.*}}
// CHECK: %[[WRONG:.*]] = arith.cmpi ne, %[[REST]]
// CHECK: scf.if %[[WRONG]] {
// CHECK:   ocl.report_finding {{.*}} of(%[[ADDRESS]],
// CHECK: }
// CHECK: %[[RIGHT:.*]] = scf.if
// CHECK:   ocl.report_access
// CHECK: scf.if %[[RIGHT]]
// CHECK-NEXT: scf.if %[[WRONG]]
// CHECK-NEXT:   llvm.load %[[P]] {alignment = 1 : i64}
// CHECK:      } else {
// CHECK-NEXT:   llvm.load %[[P]] {alignment = 16 : i64}
// CHECK: scf.if %{{.*}} -> (i32) {
// CHECK-NEXT: scf.if %{{.*}} -> (i32) {
// CHECK-NOT:  ocl.atomic_rmw
// CHECK:      } else {
// CHECK-NEXT:   ocl.atomic_rmw
func.func @misaligned(%a: !llvm.ptr<1>, %i: i64) -> (vector<4xf32>, i32) attributes {ocl.kernel} {
  %one = arith.constant 1 : i32
  %p = llvm.getelementptr %a[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
  %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
  %old = ocl.atomic_rmw add %p, %one relaxed device : !llvm.ptr<1>, i32
  return %v, %old : vector<4xf32>, i32
}

// Blocks, and local memory whose object is not known.
// CHECK-LABEL: func.func @block
// CHECK-NOT: ocl.report
func.func @block(%a: !llvm.ptr<1>, %v: i32) attributes {ocl.kernel, ocl.block = 0} {
  llvm.store %v, %a : i32, !llvm.ptr<1>
  return
}
// CHECK-LABEL: func.func @unknown
// CHECK-NOT: ocl.report_access
func.func @unknown(%a: !llvm.ptr<3>, %b: !llvm.ptr<3>, %c: i1, %v: i32) attributes {ocl.kernel} {
  %p = arith.select %c, %a, %b : !llvm.ptr<3>
  llvm.store %v, %p : i32, !llvm.ptr<3>
  return
}
