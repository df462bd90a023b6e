// A store of a part of a computed float takes its bits from a copy: NVIDIA's assembler converts the float to an integer
// otherwise (SeparateNarrowStores.h).
// RUN: kiln-clc %s -o %t.spv
// RUN: kilnc --target=nvptx:sm_90 --emit=asm %t.spv -o - | FileCheck %s

// CHECK-LABEL: .entry low_word(
// CHECK: add.rn.f64 [[SUM:%rd[0-9]+]],
// CHECK: mov.b64 [[PART:%part[0-9]+]], [[SUM]];
// CHECK-NEXT: st.global.b32 {{.*}}, [[PART]];
kernel void low_word(global const double *a, global uint *to) { to[0] = (uint)as_ulong(a[0] + a[1]); }

// Split by LLVM, for the double is not aligned.
// CHECK-LABEL: .entry unaligned(
// CHECK: add.rn.f64 [[SUM:%rd[0-9]+]],
// CHECK: mov.b64 [[PART:%part[0-9]+]], [[SUM]];
// CHECK-NEXT: st.global.b8 {{.*}}, [[PART]];
struct __attribute__((packed)) word_and_double {
  uint word;
  double value;
};
kernel void unaligned(global struct word_and_double *to) { to[0].value += to[1].value; }

// CHECK-LABEL: .entry low_byte(
// CHECK: mov.b32 [[PART:%part[0-9]+]],
// CHECK-NEXT: st.global.b8 {{.*}}, [[PART]];
kernel void low_byte(global const float *a, global uchar *to) { to[0] = (uchar)as_uint(a[0] + a[1]); }

// CHECK-LABEL: .entry whole(
// CHECK-NOT: %part
// CHECK: st.global.b64
kernel void whole(global double *a) { a[0] += a[1]; }
