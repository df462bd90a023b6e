// KeepNarrowIndices: loop counters of 32 bits in the source stay so, and become pointers only where this saves something.
// RUN: kiln-clc -cl-std=CL1.2 %s -o %t.spv
// RUN: kilnc --target=nvptx:sm_90 --emit=asm %t.spv -o - | FileCheck %s

// The counter is an index, a part of a sum that may wrap, and the result.
// CHECK-LABEL: .entry equal_bytes(
// CHECK-NOT: cvt.u32.u64
// CHECK: ld.global.b8
// CHECK-NOT: cvt.u32.u64
// CHECK: ret;
kernel void equal_bytes(global const uchar *text, global const uchar *pattern, uint length, global uint *count) {
  uint i = get_global_id(0), same = 0;
  while (same < length && text[i + same] == pattern[same])
    ++same;
  count[i] = same;
}

// The remainder loop of a loop that is unrolled four times: the index is extended once for both arrays.
// CHECK-LABEL: .entry sparse_row(
// CHECK: .pragma "nounroll";
// CHECK-NEXT: mul.wide.s32 %[[OFFSET:rd[0-9]+]], %{{r[0-9]+}}, 4;
// CHECK-NEXT: add.s64 %{{rd[0-9]+}}, %{{rd[0-9]+}}, %[[OFFSET]];
// CHECK-NEXT: ld.global.b32
// CHECK-NEXT: add.s64 %{{rd[0-9]+}}, %{{rd[0-9]+}}, %[[OFFSET]];
// CHECK-NEXT: ld.global.b32
kernel void sparse_row(global const float *values, global const int *columns, global const int *starts,
                       global const float *x, global float *y) {
  int row = get_global_id(0);
  float sum = 0;
  for (int k = starts[row]; k < starts[row + 1]; ++k)
    sum += values[k] * x[columns[k]];
  y[row] = sum;
}
