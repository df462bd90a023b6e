// PackBytes packs upper bytes of four integers by three instructions, without shifts.
// RUN: kiln-clc -cl-std=CL1.2 %s -o %t.spv
// RUN: kilnc --target=nvptx:sm_90 --emit=asm %t.spv -o - | FileCheck %s

// CHECK-LABEL: .entry second_bytes(
// CHECK-NOT: shr.u32
// CHECK: prmt.b32 %[[LOW:r[0-9]+]], %{{r[0-9]+}}, %{{r[0-9]+}}, 0x51U;
// CHECK: prmt.b32 %[[HIGH:r[0-9]+]], %{{r[0-9]+}}, %{{r[0-9]+}}, 0x51U;
// CHECK: prmt.b32 %{{r[0-9]+}}, %[[LOW]], %[[HIGH]], 0x5410U;
// CHECK-NOT: shr.u32
// CHECK: ret;
kernel void second_bytes(global const uchar4 *a, global const uchar4 *b, global uchar4 *to) {
  size_t i = get_global_id(0);
  ushort4 product = convert_ushort4(a[i]) * convert_ushort4(b[i]);
  to[i] = convert_uchar4(product >> (ushort)8);
}

// CHECK-LABEL: .entry fourth_bytes(
// CHECK: prmt.b32 %{{r[0-9]+}}, %{{r[0-9]+}}, %{{r[0-9]+}}, 0x73U;
// CHECK: ret;
kernel void fourth_bytes(global const uint4 *from, global uchar4 *to) {
  size_t i = get_global_id(0);
  to[i] = convert_uchar4(from[i] * from[i] >> 24);
}
