// Integers of 8 and 16 bits are computed in 32 bits, with masks only where upper bits matter.
// RUN: kiln-clc %s -o %t.spv
// RUN: kilnc --target=nvptx:sm_90 --emit=asm %t.spv -o - | FileCheck %s

// A product of extended bytes needs no other extension.
// CHECK-LABEL: .entry blend(
// CHECK-NOT: mul.lo.s16
// CHECK-COUNT-4: mad.lo.s32
// CHECK-NOT: mul.lo.s16
// CHECK: ret;
kernel void blend(global const uchar4 *a, global uchar4 *to, uchar alpha) {
  size_t i = get_global_id(0);
  ushort4 sum = convert_ushort4(a[i]) * (ushort)alpha + convert_ushort4(to[i]) * (ushort)(255 - alpha) + (ushort)128;
  to[i] = convert_uchar4((sum + (sum >> (ushort)8)) >> (ushort)8);
}

// A range check within the type is one sum and one comparison.
// CHECK-LABEL: .entry lower_case(
// CHECK: ld.global.b8 %r[[#TEXT:]],
// CHECK: add.s32 %r[[#OFFSET:]], %r[[#TEXT]], -65;
// CHECK: setp.lt.u32 %p{{[0-9]+}}, %r[[#OFFSET]], 26;
// CHECK: ret;
kernel void lower_case(global uchar *text) {
  uchar c = text[get_global_id(0)];
  text[get_global_id(0)] = c >= 'A' && c <= 'Z' ? c | 0x20 : c;
}

// This range wraps: 250 to 255 and 0 to 9.
// CHECK-LABEL: .entry around(
// CHECK: add.s32 %r[[#SUM:]], %r{{[0-9]+}},
// CHECK: and.b32 %r[[#LOW:]], %r[[#SUM]], 255;
// CHECK: setp.lt.u32 %p{{[0-9]+}}, %r[[#LOW]], 16;
// CHECK: ret;
kernel void around(global uchar *text) {
  uchar c = text[get_global_id(0)];
  text[get_global_id(0)] = (uchar)(c + 6) < 16 ? 1 : c;
}

// The sign of a 16-bit difference.
// CHECK-LABEL: .entry sign(
// CHECK: sub.s32
// CHECK: cvt.s32.s16
// CHECK: ret;
kernel void sign(global const short *a, global short *to) {
  size_t i = get_global_id(0);
  to[i] = (short)(a[i] - to[i]) >> 3;
}

// Four bytes stay in one register.
// CHECK-LABEL: .entry packed(
// CHECK: xor.b32
// CHECK-NOT: xor
// CHECK: ret;
kernel void packed(global const uchar4 *a, global uchar4 *to) {
  size_t i = get_global_id(0);
  to[i] ^= a[i];
}
