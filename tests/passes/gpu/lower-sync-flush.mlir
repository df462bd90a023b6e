// RUN: kiln-opt %s --ocl-set-target=target=nvptx,sub_group_size=32 --gpu-lower-sync | FileCheck %s

// With options that allow it, an addition of floats is PTX's instruction, which flushes subnormal numbers.
module attributes {ocl.flush_subnormals} {
  // CHECK-LABEL: @float_addition
  // CHECK-NEXT: llvm.atomicrmw fadd
  // CHECK-NOT: cmpxchg
  llvm.func @float_addition(%p: !llvm.ptr<1>, %f: f32) {
    %a = ocl.atomic_rmw fadd %p, %f relaxed device : !llvm.ptr<1>, f32
    llvm.store %a, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}
