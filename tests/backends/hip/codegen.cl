// RUN: kilnc --target=amdgpu:gfx90a --emit=asm %s -o - | FileCheck %s
// RUN: kilnc --target=amdgpu:gfx90a --emit=llvm %s -o - | FileCheck %s --check-prefix=LLVM

// Private and local memory are accessed by their own instructions, not by flat addresses.
// CHECK-LABEL: spaces:
// CHECK: buffer_store_dword
// CHECK: ds_write_b32
// CHECK: s_barrier
// CHECK: ds_read_b32
// CHECK-NOT: flat_
// CHECK: s_endpgm
kernel void spaces(global int *out, local int *tile) {
  int own[64];
  for (int i = 0; i < 64; ++i)
    own[i] = out[i];
  size_t i = get_local_id(0);
  tile[i] = own[out[i] & 63];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = tile[i ^ 1];
}

// A return in front of the rest of the kernel switches lanes off; no mask is saved for them.
// CHECK-LABEL: early_returns:
// CHECK-NOT: s_xor_b64
// CHECK: s_endpgm
kernel void early_returns(global int *out, int n) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  if (out[i] < 0)
    return;
  out[i] = n;
}

// 2.5 ulp: not the twelve-instruction division.
// CHECK-LABEL: divide:
// CHECK: v_rcp_f32
// CHECK-NOT: v_div_scale
// CHECK: s_endpgm
kernel void divide(global float *a) { a[get_global_id(0)] = a[get_global_id(1)] / a[get_global_id(2)]; }

// CHECK-LABEL: inverse_root:
// CHECK: v_rsq_f32
// CHECK-NOT: v_rcp
// CHECK: s_endpgm
kernel void inverse_root(global float *a) { a[get_global_id(0)] = rsqrt(a[get_global_id(1)]); }

// Math functions are linked from the library, without unused ones.
// LLVM-LABEL: define amdgpu_kernel void @library(
// LLVM-NOT: declare {{.*}}@__kiln
// LLVM-NOT: @kiln.math.cos
kernel void library(global float *a) { a[get_global_id(0)] = pow(a[get_global_id(1)], sin(a[get_global_id(2)])); }
