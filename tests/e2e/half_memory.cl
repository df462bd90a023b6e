// vload_half and vstore_half: every rounding mode for floats and doubles, without double rounding, and every vector size.
// FEATURES: LANG-1.13.7b
// 1 + 2^-11 is the midpoint of two halves. 1 + 2^-11 + 2^-40 is above it, but not after a conversion to float.
// RUN: kiln-run %s roundings --global=1 in:f64[4]=1.00048828125,1.0004882812509095,-1.00048828125,65519.99 out:u16[40] | FileCheck %s --check-prefix=ROUNDINGS
// ROUNDINGS: argument 1: 15360 15360 48128 31743 15360 15360 48128 31743 15360 15360 48128 31743 15361 15361 48128 31744 15360 15360 48129 31743
// ROUNDINGS-SAME: {{^| }}15360 15361 48128 31743 15360 15361 48128 31743 15360 15360 48128 31743 15361 15361 48128 31744 15360 15360 48129 31743
kernel void roundings(global const double *in, global ushort *out) {
  for (int i = 0; i < 4; ++i) {
    float x = convert_float_rte(in[i]);
    if (i == 3)
      x = 65519.9f;
    vstore_half(x, i, (global half *)out), vstore_half_rte(x, 4 + i, (global half *)out);
    vstore_half_rtz(x, 8 + i, (global half *)out), vstore_half_rtp(x, 12 + i, (global half *)out);
    vstore_half_rtn(x, 16 + i, (global half *)out);
    vstore_half(in[i], 20 + i, (global half *)out), vstore_half_rte(in[i], 24 + i, (global half *)out);
    vstore_half_rtz(in[i], 28 + i, (global half *)out), vstore_half_rtp(in[i], 32 + i, (global half *)out);
    vstore_half_rtn(in[i], 36 + i, (global half *)out);
  }
}

// vload_half3 has a stride of three elements, vloada_half3 a stride of four. Also local, private and constant memory.
// RUN: kiln-run %s forms --global=1 in:u16[16]=1,1024,15360,31744,48128,16384,16896,17408,32768,64512,15361,49152,2,3,4,5 out:u16[24] | FileCheck %s --check-prefix=FORMS
// FORMS: argument 1: 31744 48128 16384 0 48128 16384 16896 1 1024 15360 31744 48128 16384 16896 17408 32768 64512 15361 49152 2 3 4 5 1
constant ushort one[2] = {0, 1};
kernel void forms(global const ushort *in, global ushort *out) {
  local ushort tile[16];
  ushort own[4];
  vstore_half3(vload_half3(1, (global const half *)in), 0, (global half *)out);
  out[3] = 0;
  vstorea_half3(vloada_half3(1, (global const half *)in), 1, (private half *)own - 4);
  for (int i = 0; i < 3; ++i)
    out[4 + i] = own[i];
  vstore_half16(vload_half16(0, (global const half *)in), 0, (local half *)tile);
  float8 low = vloada_half8(0, (local half *)tile), high = vload_half8(1, (local half *)tile);
  vstore_half8_rtz(low, 0, (global half *)(out + 7)), vstore_half4(high.lo, 2, (global half *)(out + 7));
  vstore_half2_rtp(high.s45, 6, (global half *)(out + 7)), vstore_half2(convert_double2(high.hi.hi), 7, (global half *)(out + 7));
  vstore_half(vload_half(1, (constant half *)one), 16, (global half *)(out + 7));
}

// The forms with n = 1, which Clang does not declare: every rounding mode, both types, every address space.
// RUN: kiln-run %s single --global=1 in:f64[2]=1.00048828125,1.0004882812509095 out:u16[22] | FileCheck %s --check-prefix=SINGLE
// RUN: kiln-run %s --options=-cl-std=CL3.0 single --global=1 in:f64[2]=1.00048828125,1.0004882812509095 out:u16[22] | FileCheck %s --check-prefix=SINGLE
// SINGLE: argument 1: 15360 15360 15360 15360 15360 15360 15361 15361 15360 15360 15360 15361 15360 15361 15360 15360 15361 15361 15360 15360 15361 1
kernel void single(global const double *in, global ushort *out) {
  local ushort tile[2];
  ushort own[2];
  for (int i = 0; i < 2; ++i) {
    float x = convert_float_rte(in[i]);
    vstorea_half(x, i, (global half *)out), vstorea_half_rte(x, 2 + i, (global half *)out);
    vstorea_half_rtz(x, 4 + i, (global half *)out), vstorea_half_rtp(x, 6 + i, (global half *)out);
    vstorea_half_rtn(x, 8 + i, (global half *)out);
    vstorea_half(in[i], 10 + i, (global half *)out), vstorea_half_rte(in[i], 12 + i, (global half *)out);
    vstorea_half_rtz(in[i], 14 + i, (global half *)out), vstorea_half_rtp(in[i], 16 + i, (global half *)out);
    vstorea_half_rtn(in[i], 18 + i, (global half *)out);
  }
  vstorea_half_rtp(vloada_half(6, (global half *)out), 1, (local half *)tile);
  vstorea_half(vloada_half(1, (local half *)tile), 1, (private half *)own);
  vstorea_half(vloada_half(1, (private half *)own), 20, (global half *)out);
  vstorea_half(vloada_half(1, (constant half *)one), 21, (global half *)out);
}

// RUN: kiln-run %s --options=-cl-std=CL3.0 generic_single --global=1 in:u16[2]=7,15361 out:u16[1] | FileCheck %s --check-prefix=GENERIC
// GENERIC: argument 1: 15361
#ifdef __opencl_c_generic_address_space
kernel void generic_single(global ushort *in, global ushort *out) {
  half *from = (half *)in, *to = (half *)out;
  vstorea_half(vloada_half(1, from), 0, to);
}
#endif
