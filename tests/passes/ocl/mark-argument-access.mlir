// RUN: kiln-opt %s --ocl-mark-argument-access | FileCheck %s

// CHECK-LABEL: @plain
// CHECK-SAME: %{{.*}}: !llvm.ptr<1> {ocl.no_write}, %{{.*}}: !llvm.ptr<1> {ocl.no_read}
func.func @plain(%from: !llvm.ptr<1>, %to: !llvm.ptr<1>) attributes {ocl.kernel} {
  %e = llvm.getelementptr %from[3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
  %v = llvm.load %e : !llvm.ptr<1> -> i32
  llvm.store %v, %to : i32, !llvm.ptr<1>
  return
}

// A pointer that is stored may be used anywhere: read and written.
// CHECK-LABEL: @escapes
// CHECK-NOT: ocl.no_
func.func @escapes(%p: !llvm.ptr<1>, %to: !llvm.ptr<3>) attributes {ocl.kernel} {
  llvm.store %p, %to : !llvm.ptr<1>, !llvm.ptr<3>
  %q = llvm.load %to : !llvm.ptr<3> -> i32
  ocl.barrier work_group local
  return
}

// CHECK-LABEL: @atomic
// CHECK-SAME: (%{{.*}}: !llvm.ptr<1>, %
func.func @atomic(%p: !llvm.ptr<1>, %v: i32) attributes {ocl.kernel} {
  %old = ocl.atomic_rmw add %p, %v relaxed device : !llvm.ptr<1>, i32
  return
}
