// Bit-field insert and extract, with empty fields and fields of the whole width, and bit reversal, in each width.
// FEATURES: X-E19
// RUN: kiln-run %s fields --global=1 --options=-cl-std=CL3.0 in:u32[4]=4042322160,305419896,8,12 out:u32[8] | FileCheck %s --check-prefix=FIELDS
// FIELDS: argument 1: 4042684656 4042322160 305419896 3855 4294967055 0 4042322160 252645135
kernel void fields(global const uint *in, global uint *out) {
  uint base = in[0], from = in[1], offset = in[2], count = in[3];
  out[0] = bitfield_insert(base, from, offset, count), out[1] = bitfield_insert(base, from, offset, 0);
  out[2] = bitfield_insert(base, from, 0, 32);
  out[3] = bitfield_extract_unsigned(base, 4, count), out[4] = bitfield_extract_signed(base, 4, count);
  out[5] = bitfield_extract_signed(base, offset, 0), out[6] = bitfield_extract_unsigned(base, 0, 32);
  out[7] = bit_reverse(base);
}

// RUN: kiln-run %s vectors --global=1 --options=-cl-std=CL3.0 in:u64[2]=81985529216486895,1 out:u64[2] out:u8[4] out:i16[2] | FileCheck %s --check-prefix=VECTORS
// VECTORS: argument 1: 17848844570815808640 9223372036854775808
// VECTORS: argument 2: 247 179 213 145
// VECTORS: argument 3: -1 -3
kernel void vectors(global const ulong *in, global ulong *out, global uchar *bytes, global short *shorts) {
  ulong2 wide = vload2(0, in);
  vstore2(bit_reverse(wide), 0, out);
  vstore4(bit_reverse(as_uchar8(wide.x).s0123), 0, bytes);
  vstore2(bitfield_extract_signed(as_short4(wide.x).xy, 5, 3), 0, shorts);
}

// RUN: kiln-clc --extensions=cl_khr_extended_bit_ops -cl-std=CL3.0 %s -o %t.spv
// RUN: kilnc --target=nvptx:sm_90 %t.spv -o %t.ptx
// RUN: kilnc --target=amdgpu:gfx1100 %t.spv -o %t.o
