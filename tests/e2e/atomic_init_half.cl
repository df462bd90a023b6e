// atomic_init of an atomic_half, and of the other types beside it (dialects/frontend/opencl-c-kiln.h).
// FEATURES: X-E28

// RUN: kiln-run %s init --options=-cl-std=CL3.0 --global=4 --local=4 out:f32[12] | FileCheck %s
// RUN: kiln-run %s init --options=-cl-std=CL2.0 --global=4 --local=4 out:f32[12] | FileCheck %s
// RUN: kiln-run %s init --options=-cl-std=CLC++2021 --global=4 --local=4 out:f32[12] | FileCheck %s
// RUN: kiln-clc -cl-std=CL3.0 %s -o %t.spv
// RUN: kilnc --target=nvptx:sm_90 --emit=asm %t.spv -o %t.ptx
// CHECK: argument 0: 3.5 2 -7 8 -9 10.5 11.5 1 1 1 1 0{{$}}
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void init(global float *out) {
  local atomic_half h, one;
  local atomic_int i;
  local atomic_uint u;
  local atomic_long l;
  local atomic_float f;
  local atomic_double d;
  atomic_half *any = &one;
  if (get_local_id(0) == 0) {
    atomic_init(&h, (half)3.5f);
    atomic_init(any, 2);
    atomic_init(&i, -7);
    atomic_init(&u, 8u);
    atomic_init(&l, -9l);
    atomic_init(&f, 10.5f);
    atomic_init(&d, 11.5);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 1) {
    out[0] = atomic_load(&h), out[1] = atomic_load(any), out[2] = atomic_load(&i), out[3] = atomic_load(&u);
    out[4] = atomic_load(&l), out[5] = atomic_load(&f), out[6] = atomic_load(&d);
  }
  out[7 + get_local_id(0)] = 1;
}
