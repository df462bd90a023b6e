// Private arrays and constant variables that loops of a constant number of iterations index become registers and
// operands (UnrollIndexedLoops.h).

// RUN: kiln-clc %s -o %t.spv
// RUN: kilnc --target=nvptx:sm_90 --emit=asm %t.spv -o - | FileCheck %s --check-prefix=PTX
// PTX-LABEL: .entry counted(
// PTX-NOT: .local
// PTX-LABEL: .entry nested(
// PTX-NOT: .local
// PTX-LABEL: .entry too_large(
// PTX: .local
// PTX-LABEL: .entry hinted(
// PTX: .local
// PTX-LABEL: .entry periodic(
// PTX-NOT: .local
// PTX-LABEL: .entry incomplete_period(
// PTX: .local
// Elements of a constant variable are operands of the unrolled loop.
// PTX-LABEL: .entry constants(
// PTX-NOT: ld.global.nc
// PTX: ret;

// RUN: kilnc --target=amdgpu:gfx1100 --emit=asm %t.spv -o - | FileCheck %s --check-prefix=AMD
// AMD-LABEL: {{^}}counted:
// AMD-NOT: scratch_
// AMD-LABEL: {{^}}nested:
// AMD-NOT: scratch_
// AMD-LABEL: {{^}}too_large:
// AMD: scratch_

kernel void counted(global const uint *from, global uint *to) {
  uint item = get_global_id(0), x[16];
  for (int i = 0; i < 16; ++i)
    x[i] = from[item * 16 + i] ^ (uint)i;
  for (int round = 0; round < 10; ++round)
    for (int i = 0; i < 16; ++i)
      x[i] = rotate(x[i] + x[(i + 5) % 16], 7u) ^ x[(i + 11) % 16];
  for (int i = 0; i < 16; ++i)
    to[item * 16 + i] = x[i] + from[item * 16 + i];
}

kernel void nested(global const float *from, global float *to) {
  uint item = get_global_id(0);
  float m[6][6];
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      m[i][j] = from[(item * 6 + i) * 6 + j];
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < i; ++j)
      m[i][j] -= m[j][i] * m[i][i];
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      to[(item * 6 + i) * 6 + j] = m[i][j];
}

kernel void too_large(global const uint *from, global uint *to, uint n) {
  uint item = get_global_id(0), x[1024];
  for (int i = 0; i < 1024; ++i)
    x[i] = from[item + i];
  for (int i = 0; i < 1024; ++i)
    to[item + i] = x[i] + x[1023 - i];
}

kernel void hinted(global const uint *from, global uint *to) {
  uint item = get_global_id(0), x[16];
  __attribute__((opencl_unroll_hint(1)))
  for (int i = 0; i < 16; ++i)
    x[i] = from[item * 16 + i];
  __attribute__((opencl_unroll_hint(1)))
  for (int i = 0; i < 16; ++i)
    to[item * 16 + i] = x[i] + x[15 - i];
}

#define SIGMA(x, a, b, c) (rotate(x, (ulong)a) ^ rotate(x, (ulong)b) ^ rotate(x, (ulong)c))

#define HASH(last)                                                                                                     \
  uint item = get_global_id(0);                                                                                        \
  ulong w[16], a = item, b = from[item], c = a + b, d = a ^ b, e = ~a, f = ~b, g = ~c, h = ~d;                         \
  for (uint i = 0; i < 16; ++i)                                                                                        \
    w[i] = from[item * 16 + i];                                                                                        \
  for (uint i = 16; i < last; ++i) {                                                                                   \
    w[i & 15] += w[(i - 7) & 15] + SIGMA(w[(i - 2) & 15], 45, 3, 58) + SIGMA(w[(i - 15) & 15], 63, 56, 57);            \
    ulong t = w[i & 15] + h + SIGMA(e, 50, 46, 23) + bitselect(g, f, e);                                               \
    h = g, g = f, f = e, e = d + t;                                                                                    \
    t += bitselect(a, b, c ^ a) + SIGMA(a, 36, 30, 25);                                                                \
    d = c, c = b, b = a, a = t;                                                                                        \
  }                                                                                                                    \
  to[item] = a + b + c + d + e + f + g + h;

kernel void periodic(global const ulong *from, global ulong *to) { HASH(80) }

kernel void incomplete_period(global const ulong *from, global ulong *to) { HASH(82) }

constant uint k[32] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
                       0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
                       0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
                       0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967};

#define ADD(i) a = (a ^ rotate(a, 7u) ^ a >> 5) + b + k[i], b = (b ^ rotate(b, 9u) ^ b >> 3) * 5 + a;

kernel void constants(global uint *to) {
  uint a = get_global_id(0), b = ~a;
  for (uint i = 0; i < 32; i += 16) {
    ADD(i)
    ADD(i + 1)
    ADD(i + 2)
    ADD(i + 3)
    ADD(i + 4)
    ADD(i + 5)
    ADD(i + 6)
    ADD(i + 7)
    ADD(i + 8)
    ADD(i + 9)
    ADD(i + 10)
    ADD(i + 11)
    ADD(i + 12)
    ADD(i + 13)
    ADD(i + 14)
    ADD(i + 15)
  }
  to[get_global_id(0)] = a + b;
}
