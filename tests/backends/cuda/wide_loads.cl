// A loop that reads consecutive elements loads four at once, if the arguments make all addresses multiples of 16 bytes
// (WidenLoads.h). Otherwise it stays as it is.

// RUN: kiln-clc %s -o %t.spv
// RUN: kilnc --target=nvptx:sm_90 --emit=llvm %t.spv -o - | FileCheck %s --check-prefix=LLVM
// RUN: kilnc --target=nvptx:sm_90 %t.spv -o - | FileCheck %s

// The condition has the two addresses and the length, and no work-item's value.
// LLVM-LABEL: @matvec(
// LLVM-SAME: ptr addrspace(1) {{[^%]*}}[[A:%[0-9]+]], ptr addrspace(1) {{[^%]*}}[[X:%[0-9]+]],{{.*}}, i32 [[COLUMNS:%[0-9]+]],
// LLVM: icmp ne i32 {{.*}}, 0
// LLVM: and i32 [[COLUMNS]], 3
// LLVM: ptrtoint ptr addrspace(1) [[A]] to i64
// LLVM: ptrtoint ptr addrspace(1) [[X]] to i64
// LLVM: and i64 {{.*}}, 12
// LLVM: br i1 {{.*}}, label %wide.preheader, label %remainder.preheader
// CHECK: .entry matvec(
// CHECK: ld.global.v4.b32
// CHECK: ld.global.v4.b32
// CHECK: ld.global.b32
kernel void matvec(global const float *a, global const float *x, global float *y, int columns) {
  int row = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < columns; ++k)
    sum += a[row * columns + k] * x[k];
  y[row] = sum;
}

// Bytes: four at once. Doubles: twice two.
// CHECK: .entry bytes(
// CHECK: ld.global.b32
// CHECK: ld.global.b8
kernel void bytes(global const uchar *in, global uint *out, uint length) {
  uint row = get_global_id(0), sum = 0;
  for (uint k = 0; k < length; ++k)
    sum = sum * 31 + in[row * length + k];
  out[row] = sum;
}
// CHECK: .entry doubles(
// CHECK: ld.global.v2.b64
// CHECK: ld.global.b64
kernel void doubles(global const double *in, global double *out, ulong length) {
  ulong row = get_global_id(0);
  double sum = 0;
  for (ulong k = 0; k < length; ++k)
    sum += in[row * length + k];
  out[row] = sum;
}
// An index of 32 bits may wrap, so it must be a multiple of four: then it does not wrap inside of a wide load.
// LLVM-LABEL: @wrapping(
// LLVM-SAME: i32 [[LENGTH:%[0-9]+]],
// LLVM: [[REST:%[0-9]+]] = and i32 [[LENGTH]], 3
// LLVM: icmp eq i32 [[REST]], 0
// LLVM: br i1 {{.*}}, label %wide.preheader
// CHECK: .entry wrapping(
// CHECK: ld.global.v2.b64
kernel void wrapping(global const double *in, global double *out, uint length) {
  uint row = get_global_id(0);
  double sum = 0;
  for (uint k = 0; k < length; ++k)
    sum += in[row * length + k];
  out[row] = sum;
}

// Neighbours read neighbours: only every fourth address is a multiple.
// CHECK-LABEL: .entry windows(
// CHECK-NOT: ld.global.v
// CHECK-LABEL: .entry stores(
kernel void windows(global const float *in, global float *out, int length) {
  int i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < length; ++k)
    sum += in[i + k];
  out[i] = sum;
}
// A later iteration may read what an earlier one writes.
// CHECK-NOT: ld.global.v
// CHECK-LABEL: .entry starts(
kernel void stores(global float *in, global float *out, int length) {
  int row = get_global_id(0);
  for (int k = 0; k < length; ++k)
    out[k * 3] = in[row * length + k];
}
// The start comes from memory: it would have to be checked by each work-item.
// CHECK-NOT: ld.global.v
// CHECK-LABEL: .entry ends(
kernel void starts(global const float *in, global const int *starts, global float *out) {
  int row = get_global_id(0);
  float sum = 0;
  for (int k = starts[row]; k < starts[row + 1]; ++k)
    sum += in[k];
  out[row] = sum;
}
// The loop may end before it has read four.
// CHECK-NOT: ld.global.v
// CHECK: ret;
kernel void ends(global const float *in, global int *out, int length) {
  int row = get_global_id(0), k = 0;
  while (k < length && in[row * length + k] != 0)
    ++k;
  out[row] = k;
}
