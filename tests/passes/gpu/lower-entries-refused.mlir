// RUN: kiln-opt %s --gpu-lower-entries=target=nvptx --split-input-file --verify-diagnostics
// RUN: not kiln-opt %s --gpu-lower-entries=target=abacus --split-input-file 2>&1 | FileCheck %s
// CHECK: gpu-lower-entries needs a target

// No processor runs such a group.
// expected-error @below {{kernel 'flat' requires groups of 1024 x 2 x 1 work-items; at most 1024 x 1024 x 64, together 1024, can run}}
func.func @flat() attributes {ocl.kernel, ocl.reqd_local_size = array<i64: 1024, 2, 1>} {
  return
}

// -----

// expected-error @below {{kernel 'deep' requires groups of 1 x 1 x 65 work-items}}
func.func @deep() attributes {ocl.kernel, ocl.reqd_local_size = array<i64: 1, 1, 65>} {
  return
}

// -----

// More than a launch can carry.
// expected-error @below {{kernel 'wide' has arguments of 36000 bytes; at most 32000 can be passed}}
func.func @wide(%s: !llvm.ptr {ocl.byval = !llvm.array<9000 x i32>}) attributes {ocl.kernel} {
  return
}
