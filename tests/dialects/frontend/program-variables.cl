// RUN: kiln-clc -cl-std=CL3.0 --extensions=__opencl_c_program_scope_global_variables %s -o %t.spv && kiln-translate %t.spv --unresolved | FileCheck %s
// RUN: not kiln-clc -cl-std=CL3.0 --extensions=__opencl_c_int64 %s -o %t 2>&1 | FileCheck %s --check-prefix=WITHOUT

// WITHOUT: error: program scope variable must reside in constant address space

// CHECK-DAG: llvm.mlir.global internal @counter(7 : i32) {addr_space = 1 : i32, {{.*}}ocl.export = "counter"}
int counter = 7;
// CHECK-DAG: llvm.mlir.global external @elsewhere() {addr_space = 1 : i32, {{.*}}ocl.import = "elsewhere"}
extern global int elsewhere;
// CHECK-DAG: llvm.mlir.global internal @own(dense<[1, 2, 0]> : tensor<3xi32>) {addr_space = 1 : i32, alignment = 4 : i64}
static global int own[3] = {1, 2};
// CHECK-DAG: llvm.mlir.global internal @next.calls(0 : i32) {addr_space = 1 : i32
int next(void) {
  static int calls;
  return ++calls;
}
kernel void k(global int *p) { p[0] = counter + elsewhere + own[1] + next(); }
