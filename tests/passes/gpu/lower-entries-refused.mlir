// RUN: kiln-opt %s --ocl-set-target=target=nvptx,sub_group_size=32 --gpu-lower-entries --split-input-file --verify-diagnostics
// RUN: not kiln-opt %s --gpu-lower-entries --split-input-file 2>&1 | FileCheck %s
// RUN: not kiln-opt %s %cpu_8 --gpu-lower-entries --split-input-file 2>&1 | FileCheck %s --check-prefix=CPU
// CHECK: error: gpu-lower-entries: the module has no ocl.target, which says what code is compiled for
// CPU: error: gpu-lower-entries: ocl.target is cpu, must be nvptx or amdgpu

// Work-group sizes that no processor supports.
// expected-error @below {{the required work-group size of kernel 'flat' is 1024 x 2 x 1, must be at most 1024 x 1024 x 64 and 1024 work-items}}
func.func @flat() attributes {ocl.kernel, ocl.reqd_local_size = array<i64: 1024, 2, 1>} {
  return
}

// -----

// expected-error @below {{the required work-group size of kernel 'deep' is 1 x 1 x 65}}
func.func @deep() attributes {ocl.kernel, ocl.reqd_local_size = array<i64: 1, 1, 65>} {
  return
}

// -----

// Arguments that exceed a launch's limit.
// expected-error @below {{the arguments of kernel 'wide' have 36000 bytes, must have at most 32000}}
func.func @wide(%s: !llvm.ptr {ocl.byval = !llvm.array<9000 x i32>}) attributes {ocl.kernel} {
  return
}
