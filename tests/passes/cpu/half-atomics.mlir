// RUN: kiln-opt %s --ocl-to-llvm --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @additions
// CHECK: llvm.atomicrmw fadd %{{.*}} : !llvm.ptr, f16
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> f16
// CHECK: arith.addf %{{.*}} : f16
// CHECK: llvm.store %{{.*}} : f16, !llvm.ptr
llvm.func @additions(%arguments: !llvm.ptr, %launch: !llvm.ptr, %p: !llvm.ptr<1>, %l: !llvm.ptr<3>, %h: f16) {
  %a = ocl.atomic_rmw fadd %p, %h relaxed device : !llvm.ptr<1>, f16
  %b = ocl.atomic_rmw fadd %l, %h relaxed work_group : !llvm.ptr<3>, f16
  llvm.return
}

// -----

// LLVM would call fminf, and code for the CPU calls no library.
llvm.func @minimum(%arguments: !llvm.ptr, %launch: !llvm.ptr, %p: !llvm.ptr<1>, %h: f16) {
  // expected-error @+1 {{atomic minima and maxima of half are not supported on the CPU}}
  %a = ocl.atomic_rmw fmin %p, %h relaxed device : !llvm.ptr<1>, f16
  llvm.return
}
