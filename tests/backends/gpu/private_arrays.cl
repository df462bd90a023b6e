// Private arrays that loops of a constant number of iterations index become registers (UnrollPrivateArrays.h).

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
