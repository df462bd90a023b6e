// Tensor cores multiply half and bytes (passes/ocl/MmaSync.cpp). Saturation is a separate addition, as the instruction may
// saturate sums within it. Other types, and older GPUs, exchange components by shuffles.
// FEATURES: X-E40
// RUN: kiln-clc -cl-std=CL3.0 %s -o %t.spv
// RUN: kilnc --target=nvptx:sm_90 --emit=asm %t.spv -o - | FileCheck %s
// RUN: kilnc --target=nvptx:sm_75 --emit=asm %t.spv -o - | FileCheck %s --check-prefix=OLD
// OLD-NOT: mma.sync
// OLD: shfl.sync
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define MATRIX(TYPE, ROWS, COLUMNS, USE) \
  typedef TYPE __attribute__((coop_mat(memory_scope_sub_group, ROWS, COLUMNS, CLK_COOPERATIVE_MATRIX_##USE)))
MATRIX(half, 16, 16, A) half_a;
MATRIX(half, 16, 16, B) half_b;
MATRIX(half, 16, 8, B) half_b8;
MATRIX(half, 16, 8, ACCUMULATOR) half_c8;
MATRIX(float, 16, 16, A) float_a;
MATRIX(float, 16, 16, B) float_b;
MATRIX(float, 16, 16, ACCUMULATOR) float_c;
MATRIX(char, 16, 32, A) char_a;
MATRIX(char, 32, 16, B) char_b;
MATRIX(char, 16, 16, A) char_a16;
MATRIX(uchar, 16, 16, B) uchar_b16;
MATRIX(int, 16, 16, ACCUMULATOR) int_c;
#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR

// CHECK-LABEL: .entry halves
// CHECK-COUNT-4: ld.global.b32
// CHECK-COUNT-2: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK-NOT: shfl
kernel void halves(global const half *a, global const half *b, global float *c) {
  half_a x = coop_mat_load(a, ROWS, 16);
  half_b y = coop_mat_load(b, ROWS, 16);
  float_c z = coop_mat_init(0.0f);
  coop_mat_store(c, coop_mat_mulAdd(x, y, z), ROWS, 16);
}

// CHECK-LABEL: .entry narrow
// CHECK-COUNT-1: mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16
kernel void narrow(global const half *a, global const half *b, global half *c) {
  half_a x = coop_mat_load(a, ROWS, 16);
  half_b8 y = coop_mat_load(b, ROWS, 8);
  half_c8 z = coop_mat_load(c, ROWS, 8);
  coop_mat_store(c, coop_mat_mulAdd(x, y, z), ROWS, 8);
}

// CHECK-LABEL: .entry bytes
// CHECK-COUNT-2: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
// CHECK-NOT: satfinite
// CHECK-COUNT-2: mma.sync.aligned.m16n8k16.row.col.s32.s8.u8.s32
kernel void bytes(global const char *a, global const char *b, global const uchar *d, global int *c) {
  char_a x = coop_mat_load(a, ROWS, 32);
  char_b y = coop_mat_load(b, ROWS, 16);
  int_c z = coop_mat_load(c, ROWS, 16);
  z = coop_mat_mulAdd(x, y, z);
  char_a16 v = coop_mat_load(a, ROWS, 16);
  uchar_b16 w = coop_mat_load(d, ROWS, 16);
  coop_mat_store(c, coop_mat_mulAdd(v, w, z), ROWS, 16);
}

// CHECK-LABEL: .entry saturating
// CHECK-COUNT-2: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
// CHECK: selp.b32
kernel void saturating(global const char *a, global const char *b, global int *c) {
  char_a x = coop_mat_load(a, ROWS, 32);
  char_b y = coop_mat_load(b, ROWS, 16);
  int_c z = coop_mat_load(c, ROWS, 16);
  z = coop_mat_mulAdd(x, y, z, CLK_COOPERATIVE_MATRIX_OPERAND_SATURATING_ACCUMULATION);
  coop_mat_store(c, z, ROWS, 16);
}

// CHECK-LABEL: .entry floats
// CHECK-NOT: mma.sync
// CHECK: shfl.sync
kernel void floats(global const float *a, global const float *b, global float *c) {
  float_a x = coop_mat_load(a, ROWS, 16);
  float_b y = coop_mat_load(b, ROWS, 16);
  float_c z = coop_mat_init(0.0f);
  coop_mat_store(c, coop_mat_mulAdd(x, y, z), ROWS, 16);
}
