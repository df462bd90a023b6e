// An error of LLVM's back end is an error in the log and does not end the compiler.
// RUN: not kilnc --target=amdgpu:gfx906 %s 2>&1 | FileCheck %s
// CHECK: error: {{.*}}local memory (80000) exceeds limit (65536) in function 'hungry'
kernel void hungry(global int *out) {
  local int room[20000];
  room[out[0]] = out[1];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[2] = room[out[3]];
}
