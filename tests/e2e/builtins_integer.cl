// Edge cases of integer, common and relational functions, on scalars and vectors. Each kernel writes 0 if all are right.
// FEATURES: LANG-1.13.3a, LANG-1.13.3b, LANG-1.13.4, LANG-1.13.6a, LANG-1.13.6b
// RUN: kiln-run %s integers --global=1 in:i32[1]=7 out:u32[1] | FileCheck %s
// RUN: kiln-run %s wide --global=1 in:i32[1]=7 out:u32[1] | FileCheck %s
// RUN: kiln-run %s common --global=1 in:f32[1]=0.5 out:u32[1] | FileCheck %s
// RUN: kiln-run %s relations --global=1 in:f32[1]=0.5 out:u32[1] | FileCheck %s
// CHECK: argument 1: 0{{$}}
#define IS(x) wrong += (x) ? 0 : 1u << (counter % 31), ++counter;
#define BEGIN uint wrong = 0, counter = 0;

kernel void integers(global const int *seven, global uint *out) {
  BEGIN
  int i = seven[0];
  IS(abs(-i) == 7u && abs(INT_MIN) == 0x80000000u && abs((char)-128) == (uchar)128 && all(abs((int2)(-3, i)) == (uint2)(3, 7)))
  IS(abs_diff(INT_MIN, INT_MAX) == UINT_MAX && abs_diff((uchar)3, (uchar)250) == 247 && abs_diff(-5L, 5L) == 10UL)
  IS(add_sat((char)100, (char)100) == 127 && add_sat((char)-100, (char)-100) == -128 && add_sat(UINT_MAX - 1, 5u) == UINT_MAX)
  IS(sub_sat((short)-32768, (short)1) == -32768 && sub_sat(3u, 5u) == 0 && sub_sat(LONG_MIN, 1L) == LONG_MIN)
  IS(all(add_sat((int4)(INT_MAX), (int4)(1, 0, -1, i)) == (int4)(INT_MAX, INT_MAX, INT_MAX - 1, INT_MAX)))
  IS(hadd(INT_MAX, INT_MAX) == INT_MAX && hadd(-3, 0) == -2 && rhadd(-3, 0) == -1 && rhadd(UINT_MAX, UINT_MAX - 1) == UINT_MAX)
  IS(hadd((uchar)255, (uchar)254) == 254 && rhadd((uchar)255, (uchar)254) == 255 && hadd(LONG_MAX, LONG_MAX - 2) == LONG_MAX - 1)
  IS(clamp(i, 1, 5) == 5 && clamp(-i, 1, 5) == 1 && all(clamp((int2)(3, 9), 4, 6) == (int2)(4, 6)))
  IS(all(clamp((uchar2)(3, 9), (uchar2)(1, 2), (uchar2)(2, 10)) == (uchar2)(2, 9)))
  IS(clz(0) == 32 && clz((char)1) == 7 && clz((ushort)0) == 16 && clz(1L) == 63 && clz(-1) == 0 && clz(0x100u) == 23)
  IS(popcount(-1) == 32 && popcount((uchar)0xf0) == 4 && popcount(0x8000000000000001UL) == 2)
  IS(all(popcount((short2)(-1, 7)) == (short2)(16, 3)))
  IS(max(i, -1) == 7 && min(i, -1) == -1 && max(1u, UINT_MAX) == UINT_MAX && all(max((int2)(1, 9), 5) == (int2)(5, 9)))
  IS(all(min((char4)(1, -1, 127, -128), (char)0) == (char4)(0, -1, 0, -128)))
  IS(rotate(0x80000001u, 1u) == 3 && rotate((uchar)0x81, (uchar)4) == 0x18 && rotate(1, 33) == 2 && rotate(1L, -1L) == LONG_MIN)
  IS(all(rotate((ushort2)(0x8000, 1), (ushort2)(1, 17)) == (ushort2)(1, 2)))
  IS(upsample((char)-1, (uchar)2) == -254 && upsample((uchar)0xab, (uchar)0xcd) == 0xabcd)
  IS(upsample((short)-2, (ushort)3) == -131069 && upsample(1u, 2u) == 0x100000002UL && upsample(-1, 0u) == -0x100000000L)
  IS(all(upsample((uchar2)(1, 2), (uchar2)(3, 4)) == (ushort2)(0x103, 0x204)))
  IS(mul24(-3, i) == -21 && mad24(1000, 1000, i) == 1000007 && mul24(0xffffffu, 2u) == 0x1fffffe)
  IS(all(mad24((int2)(2, -3), (int2)(i), (int2)(1)) == (int2)(15, -20)))
  IS(CHAR_BIT == 8 && SCHAR_MAX == 127 && SCHAR_MIN == -128 && UCHAR_MAX == 255 && CHAR_MAX == 127 && CHAR_MIN == -128)
  IS(SHRT_MAX == 32767 && SHRT_MIN == -32768 && USHRT_MAX == 65535 && INT_MAX == 2147483647 && UINT_MAX == 0xffffffffu)
  IS(LONG_MAX == 0x7fffffffffffffffL && LONG_MIN == -0x7fffffffffffffffL - 1 && ULONG_MAX == 0xffffffffffffffffUL)
#if INT_MIN != -2147483647 - 1 || CHAR_BIT != 8
  wrong = 99;
#endif
  out[0] = wrong;
}

kernel void wide(global const int *seven, global uint *out) {
  BEGIN
  long i = seven[0];
  IS(mul_hi(INT_MIN, INT_MIN) == 0x40000000 && mul_hi(UINT_MAX, UINT_MAX) == UINT_MAX - 1 && mul_hi((char)-128, (char)2) == -1)
  IS(mul_hi(LONG_MIN, LONG_MIN) == 0x4000000000000000L && mul_hi(LONG_MIN, i) == -4 && mul_hi(-1L, 1L) == -1)
  IS(mul_hi(ULONG_MAX, ULONG_MAX) == ULONG_MAX - 1 && mul_hi(0x100000000UL, 0x700000000UL) == 7)
  IS(all(mul_hi((ulong2)(ULONG_MAX, 2), (ulong2)(2, 3)) == (ulong2)(1, 0)))
  IS(mad_hi(LONG_MIN, 4L, i) == 5 && mad_hi(0x10000u, 0x30000u, 5u) == 8)
  IS(mad_sat((char)100, (char)2, (char)-100) == 100 && mad_sat((char)100, (char)2, (char)1) == 127)
  IS(mad_sat(INT_MAX, 2, -INT_MAX) == INT_MAX && mad_sat(INT_MIN, 2, INT_MAX) == INT_MIN && mad_sat(65536u, 65536u, 0u) == UINT_MAX)
  IS(mad_sat(LONG_MAX, 2L, -LONG_MAX) == LONG_MAX && mad_sat(LONG_MIN, 2L, 0L) == LONG_MIN && mad_sat(i, i, 1L) == 50)
  IS(mad_sat(LONG_MIN, -1L, -1L) == LONG_MAX && mad_sat(ULONG_MAX, 1UL, 1UL) == ULONG_MAX && mad_sat(3UL, 5UL, 2UL) == 17)
  IS(all(mad_sat((long2)(LONG_MAX, 2), (long2)(2, 3), (long2)(1)) == (long2)(LONG_MAX, 7)))
  out[0] = wrong;
}

kernel void common(global const float *half_, global uint *out) {
  BEGIN
  float h = half_[0];
  IS(clamp(h, 1.0f, 2.0f) == 1 && all(clamp((float2)(h, 9), 0.0f, 1.0f) == (float2)(h, 1)))
  IS(fabs(degrees(M_PI_F) - 180) < 1e-4f && fabs(radians(180.0f) - M_PI_F) < 1e-6f && fabs(degrees((double)h) - 28.647889756541161) < 1e-12)
  IS(max(h, 2.0f) == 2 && min(h, 2.0f) == h && all(max((float2)(1, 0), h) == (float2)(1, h)) && all(min((double2)(1, 0), 0.25) == (double2)(0.25, 0)))
  IS(mix(2.0f, 4.0f, h) == 3 && all(mix((float2)(0, 10), (float2)(10, 20), h) == (float2)(5, 15)))
  IS(step(h, 0.25f) == 0 && step(h, h) == 1 && all(step(h, (float2)(0, 1)) == (float2)(0, 1)))
  IS(smoothstep(0.0f, 1.0f, h) == h && smoothstep(0.0f, 1.0f, -1.0f) == 0 && smoothstep(0.0f, 1.0f, 2.0f) == 1)
  IS(all(smoothstep(0.0f, 2.0f, (float2)(h, 1)) == (float2)(0.15625f, 0.5f)))
  IS(sign(-h) == -1 && sign(h) == 1 && as_uint(sign(-0.0f)) == 0x80000000u && as_uint(sign(0.0f)) == 0 && as_uint(sign(NAN)) == 0)
  IS(all(as_long2(sign((double2)(-0.0, NAN))) == (long2)(LONG_MIN, 0)))
  out[0] = wrong;
}

kernel void relations(global const float *half_, global uint *out) {
  BEGIN
  float h = half_[0];
  IS(isequal(h, h) == 1 && isequal(NAN, NAN) == 0 && isnotequal(NAN, NAN) == 1 && isnotequal(h, h) == 0)
  IS(isgreater(h, 0.0f) == 1 && isgreaterequal(h, h) == 1 && isless(h, h) == 0 && islessequal(h, h) == 1 && islessgreater(h, NAN) == 0)
  IS(isgreater(NAN, h) == 0 && isless(NAN, h) == 0 && islessgreater(h, 1.0f) == 1 && islessgreater(h, h) == 0)
  IS(isfinite(h) == 1 && isfinite(INFINITY) == 0 && isfinite(NAN) == 0 && isinf(-INFINITY) == 1 && isinf(h) == 0)
  IS(isnan(NAN) == 1 && isnan(INFINITY) == 0 && isnormal(h) == 1 && isnormal(as_float(1)) == 0 && isnormal(0.0f) == 0)
  IS(isordered(h, h) == 1 && isordered(h, NAN) == 0 && isunordered(NAN, h) == 1 && isunordered(h, h) == 0)
  IS(signbit(-0.0f) == 1 && signbit(0.0f) == 0 && signbit(as_float(0xffc00000)) == 1)
  IS(sizeof(isnan(1.0)) == 4 && isnan((double)NAN) == 1 && isequal(1.0, 1.0) == 1)
  IS(all(isequal((float2)(h, NAN), (float2)(h, NAN)) == (int2)(-1, 0)) && all(isnan((double2)(NAN, h)) == (long2)(-1, 0)))
  IS(all(signbit((float2)(-1, 1)) == (int2)(-1, 0)) && all(isinf((double2)(INFINITY, 1)) == (long2)(-1, 0)))
  IS(any(-1) == 1 && any(1) == 0 && any((char2)(1, -128)) == 1 && any((long2)(1, 2)) == 0)
  IS(all((int4)(-1)) == 1 && all((short2)(-1, 1)) == 0 && all((char)-128) == 1)
  IS(bitselect(0x0fu, 0xf0u, 0x3cu) == 0x33u && bitselect((char)1, (char)2, (char)3) == 2)
  IS(as_uint(bitselect(1.0f, -2.0f, as_float(0x80000000))) == 0xbf800000u)
  IS(as_ulong(bitselect(1.0, -2.0, -0.0)) == 0xbff0000000000000UL)
  IS(select(1, 2, 3) == 2 && select(1, 2, 0) == 1 && select(1.0f, 2.0f, 1u) == 2)
  IS(all(select((int4)(1, 2, 3, 4), (int4)(5, 6, 7, 8), (int4)(-1, 1, 0x80000000, 0)) == (int4)(5, 2, 7, 4)))
  IS(all(select((float2)(1, 2), (float2)(3, 4), (uint2)(0x80000000, 0x7fffffff)) == (float2)(3, 2)))
  IS(all(select((uchar2)(1, 2), (uchar2)(3, 4), (char2)(-1, 127)) == (uchar2)(3, 2)))
  IS(all(select((double2)(1, 2), (double2)(3, 4), (long2)(LONG_MIN, 1)) == (double2)(3, 2)))
  out[0] = wrong;
}
