// RUN: kilnc --target=nvptx:sm_90 %s -o - | FileCheck %s

// Parameters have the offsets of the argument block: alignment is preserved, three components have the size of four.
// CHECK-LABEL: .visible .entry parameters(
// CHECK-NEXT: .param .u8 parameters_param_0,
// CHECK-NEXT: .param .align 16 .b8 parameters_param_1[16],
// CHECK-NEXT: .param .align 4 .b8 parameters_param_2[12],
// CHECK-NEXT: .param .u64 .ptr .global .align 4 parameters_param_3,
// CHECK-NEXT: .param .u64 parameters_param_4,
// CHECK-NEXT: .param .align 8 .b8 parameters_param_5[232]
// CHECK-NEXT: )
// There is no bound of the group's size, with which the assembler would save registers.
// CHECK-NEXT: {
typedef struct {
  int a;
  char b[5];
} S;
kernel void parameters(char c, float3 v, S s, global float *out, local float *scratch) {
  out[0] = c + v.z + s.b[4] + scratch[1];
}

// A 32-bit id is one mad and the start of the launch; a and b are contracted; no generic pointers.
// CHECK-LABEL: .visible .entry ids(
// CHECK: mad.lo.s32
// CHECK-NOT: mul.{{.*}}64
// CHECK: mul.wide.s32
// CHECK: ld.global.b32
// CHECK: fma.rn.f32
// CHECK: st.global.b32
kernel void ids(global float *a, float b, float c) {
  int i = get_global_id(0);
  a[i] = a[i] * b + c;
}

// Loads through restrict pointers that are only read, and constant pointers, use the read-only cache.
// CHECK-LABEL: .visible .entry cached(
// CHECK: ld.global.nc.b32
// CHECK: ld.global.nc.b32
// CHECK-NOT: .nc.
// CHECK: ld.global.b32
kernel void cached(global float *restrict out, global const float *restrict a, constant float *b, global float *c) {
  size_t i = get_global_id(0);
  out[i] = a[i] + b[i];
  out[i] *= c[i];
}

// The assembler allocates static local memory; the dynamic array has size 0.
// CHECK-LABEL: .visible .entry local_memory(
// CHECK: .shared .align 4 .b8 __kiln_local_memory_tile[256];
// CHECK: st.shared.b32
// CHECK: bar.sync 0;
// CHECK: ld.shared.b32
// CHECK: atom.shared.add.u32
kernel void local_memory(global int *out, local int *more) {
  local int tile[64];
  size_t i = get_local_id(0);
  tile[i & 63] = out[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = atomic_add(more + tile[63 - (i & 63)], 1);
}

// Approximate instructions within OpenCL's error bound.
// CHECK-LABEL: .visible .entry divide(
// CHECK: div.full.f32
// CHECK: sqrt.approx.f32
// CHECK-NOT: .rn.f32
kernel void divide(global float *a) { a[0] = sqrt(a[1] / a[2]); }

// CHECK-LABEL: .visible .entry reciprocal(
// CHECK: rcp.approx.f32
// CHECK-NOT: div.
kernel void reciprocal(global float *a) { a[0] = 1.0f / a[1]; }

// CHECK-LABEL: .visible .entry double_divide(
// CHECK: div.rn.f64
kernel void double_divide(global double *a) { a[0] = a[1] / a[2]; }

// RUN: kilnc --target=nvptx:sm_90 --options=-cl-fp32-correctly-rounded-divide-sqrt %s -o - | FileCheck %s --check-prefix=ROUNDED
// ROUNDED: div.rn.f32
// ROUNDED: sqrt.rn.f32
// ROUNDED: rcp.rn.f32
// RUN: kilnc --target=nvptx:sm_90 --options=-cl-denorms-are-zero %s -o - | FileCheck %s --check-prefix=FLUSHED
// FLUSHED: fma.rn.ftz.f32
// FLUSHED: div.full.ftz.f32
// FLUSHED: sqrt.approx.ftz.f32
// FLUSHED: rcp.approx.ftz.f32
