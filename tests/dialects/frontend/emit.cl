// Other forms of the output.

// RUN: kiln-clc --emit=llvm %s | FileCheck %s
// CHECK: target triple = "spir64-unknown-unknown"
// CHECK: define {{.*}}spir_kernel void @k({{i32|ptr}} addrspace(1)

// RUN: kiln-clc --emit=spirv - < %s | spirv-dis | FileCheck %s --check-prefix=SPIRV
// SPIRV: OpEntryPoint Kernel %{{.*}} "k"
kernel void k(global int *p) { p[0] = 1; }
