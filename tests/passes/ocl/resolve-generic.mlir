// RUN: kiln-opt %s --ocl-resolve-generic | FileCheck %s

// Behind address arithmetic, the access knows its memory again.
// CHECK-LABEL: @through_arithmetic
// CHECK-NOT: !llvm.ptr<4>
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> i32
func.func @through_arithmetic(%i: i64) -> i32 {
  %one = arith.constant 1 : i32
  %p = llvm.alloca %one x !llvm.array<4 x i32> : (i32) -> !llvm.ptr
  %g = llvm.addrspacecast %p : !llvm.ptr to !llvm.ptr<4>
  %e = llvm.getelementptr %g[%i] : (!llvm.ptr<4>, i64) -> !llvm.ptr<4>, i32
  %v = llvm.load %e : !llvm.ptr<4> -> i32
  return %v : i32
}

// Chosen by control flow, a pointer may be of either space: it must stay generic.
// CHECK-LABEL: @chosen
// CHECK: llvm.load %{{.*}} : !llvm.ptr<4> -> i32
func.func @chosen(%c: i1, %a: !llvm.ptr<1>, %b: !llvm.ptr<3>) -> i32 {
  %ga = llvm.addrspacecast %a : !llvm.ptr<1> to !llvm.ptr<4>
  %gb = llvm.addrspacecast %b : !llvm.ptr<3> to !llvm.ptr<4>
  %g = arith.select %c, %ga, %gb : !llvm.ptr<4>
  %v = llvm.load %g : !llvm.ptr<4> -> i32
  return %v : i32
}

// The pointer itself is stored: what is in memory is a generic pointer.
// CHECK-LABEL: @stored
// CHECK: llvm.store %{{.*}}, %{{.*}} : !llvm.ptr<4>, !llvm.ptr<1>
func.func @stored(%a: !llvm.ptr<3>, %to: !llvm.ptr<1>) {
  %g = llvm.addrspacecast %a : !llvm.ptr<3> to !llvm.ptr<4>
  llvm.store %g, %to : !llvm.ptr<4>, !llvm.ptr<1>
  return
}
