// ReplaceAssembly: LLVM folds statements of instructions that it knows, and the assembler selects them again.
// RUN: kiln-clc -cl-std=CL2.0 %s -o %t.spv
// RUN: kilnc --target=nvptx:sm_90 --emit=asm %t.spv -o - | FileCheck %s

#define LOP3(R, A, B, C, TABLE)                                                                                        \
  asm volatile("lop3.b32\t%0, %1, %2, %3, %4;" : "=r"(R) : "r"(A), "r"(B), "r"(C), "n"(TABLE))

// CHECK-LABEL: .entry logic(
// CHECK-NOT: lop3
// CHECK: ret;
kernel void logic(global uint *o, uint a, uint b, uint c) {
  LOP3(o[0], a, b, c, 0x96);
  LOP3(o[1], a, b, c, 0xca);
  LOP3(o[2], a, b, c, 0x39);
}

// Bit n of a, b and c is a bit of n, so the result is the table.
// CHECK-LABEL: .entry tables(
// CHECK-NOT: lop3
// CHECK: st.global.b32 [%{{rd[0-9]+}}], 150;
// CHECK: st.global.b32 [%{{rd[0-9]+}}+4], 202;
// CHECK: st.global.b32 [%{{rd[0-9]+}}+8], 57;
// CHECK: st.global.b32 [%{{rd[0-9]+}}+12], 129;
// CHECK: ret;
kernel void tables(global uint *o) {
  const uint a = 0xf0, b = 0xcc, c = 0xaa;
  uint r[4];
  LOP3(r[0], a, b, c, 0x96);
  LOP3(r[1], a, b, c, 0xca);
  LOP3(r[2], a, b, c, 0x39);
  LOP3(r[3], a, b, c, 0x81);
  for (int i = 0; i < 4; ++i)
    o[i] = r[i] & 0xff;
}

// CHECK-LABEL: .entry shifts(
// CHECK-NOT: inline asm
// CHECK: shf.r.wrap.b32
// CHECK: shf.l.wrap.b32
// 0x12345678 and 0x9abcdef0, shifted by 8: 0xf0123456 and 0xbcdef012
// CHECK: -267242410;
// CHECK: -1126240238;
// CHECK: ret;
kernel void shifts(global uint *o, uint a, uint b, uint n) {
  asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(o[0]) : "r"(a), "r"(b), "r"(n));
  asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(o[1]) : "r"(a), "r"(b), "r"(n));
  asm("shf.r.wrap.b32 %0, %1, %2, 8;" : "=r"(o[2]) : "r"(0x12345678), "r"(0x9abcdef0));
  asm("shf.l.wrap.b32 %0, %1, %2, 8;" : "=r"(o[3]) : "r"(0x12345678), "r"(0x9abcdef0));
}

// Other statements stay.
// CHECK-LABEL: .entry others(
// CHECK: lop3.b32 {{.*}}; lop3.b32
// CHECK: lop3.b32 %{{r[0-9]+}}, %{{r[0-9]+}}, %{{r[0-9]+}}, %{{r[0-9]+}}, 1;
// CHECK: prmt.b32
// CHECK: ret;
kernel void others(global uint *o, uint a, uint b, uint c) {
  uint r, s;
  asm("lop3.b32 %0, %1, %2, %3, 150; lop3.b32 %0, %0, %2, %3, 150;" : "=&r"(r) : "r"(a), "r"(b), "r"(c));
  asm("lop3.b32 %0, %1, %2, %3, 1;" : "=r"(s) : "r"((int)a), "r"(b), "r"((float)c));
  o[0] = r + s;
  asm("prmt.b32 %0, %1, %2, 0x3210;" : "=r"(r) : "r"(a), "r"(b));
  o[1] = r;
}
