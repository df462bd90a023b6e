// RUN: kiln-opt %s --gpu-lower-sync=target=nvptx --verify-diagnostics
// RUN: kiln-opt %s --gpu-lower-sync=target=amdgpu --verify-diagnostics

func.func @together(%i: i32) {
  // expected-error @+1 {{work-group and sub-group functions are not supported on GPUs}}
  %0 = ocl.combine reduce add work_group %i : i32
  return
}

func.func @time() {
  // expected-error @+1 {{clock reads are not supported on GPUs}}
  %0 = ocl.read_clock device : i64
  return
}
