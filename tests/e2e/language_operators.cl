// Results of operators for every kind of operand; none may trap. Each kernel writes 0 if all results are correct.
// FEATURES: LANG-1.3.1, LANG-1.3.4, LANG-1.3.7, LANG-1.3.9, LANG-1.3.10, LANG-1.3.15, NUM-2.2b
// RUN: kiln-run %s divisions --global=64 in:i32[4]=0 out:u32[64] | FileCheck %s --check-prefix=MANY
// MANY: argument 1: 0 0 0 0
// MANY-NOT: {{ [1-9]}}
// RUN: kiln-run %s comparisons --global=1 in:i32[1]=7 out:u32[1] | FileCheck %s
// RUN: kiln-run %s logic --global=1 in:i32[1]=7 out:u32[1] | FileCheck %s
// RUN: kiln-run %s shifts --global=1 in:i32[1]=33 out:u32[1] | FileCheck %s
// RUN: kiln-run %s assignments --global=1 in:i32[1]=7 out:u32[1] | FileCheck %s
// CHECK: argument 1: 0{{$}}
#define IS(x) wrong += (x) ? 0 : 1u << (counter % 31), ++counter;
#define BEGIN uint wrong = 0, counter = 0;

// Divisions by zero, and of the lowest value by -1, in each type: they may give any value, but other components and other
// work-items must be correct. Half of the work-items have another divisor.
#define DIVIDE(type, lowest)                                                                                           \
  {                                                                                                                    \
    type low = lowest, divisor = (type)(odd ? 3 : zero[0] - minusOne);                                                 \
    type##4 all = (type##4)(low, 20, low, 9), by = (type##4)(divisor, 4, zero[1], divisor);                            \
    type##4 quotients = all / by, rests = all % by;                                                                    \
    IS(quotients.y == 5 && rests.y == 0)                                                                               \
    IS(!odd || (quotients.w == 3 && rests.w == 0 && quotients.x == (type)(lowest / 3)))                                \
    type one = low / (type)zero[2], rest = low % (type)zero[3];                                                        \
    sink += (uint)one + (uint)rest + (uint)quotients.z + (uint)rests.z;                                                \
  }
kernel void divisions(global const int *zero, global uint *out) {
  BEGIN
  bool odd = get_global_id(0) & 1;
  uint sink = 0;
  const int minusOne = get_global_id(0) & 2 ? 1 : 0; // the divisor is -1 or 0
  DIVIDE(char, -128) DIVIDE(short, -32768) DIVIDE(int, INT_MIN) DIVIDE(long, LONG_MIN)
  DIVIDE(uchar, 255) DIVIDE(ushort, 65535) DIVIDE(uint, UINT_MAX) DIVIDE(ulong, ULONG_MAX)
  float nothing = zero[0];
  sink += isinf(1 / nothing) + isnan(nothing / nothing) + (uint)sqrt(nothing - 1) + convert_int(1e30f + nothing);
  out[get_global_id(0)] = wrong + (sink == 0x12345678);
}

kernel void comparisons(global const int *seven, global uint *out) {
  BEGIN
  int i = seven[0];
  IS((i == 7) + (i < 8) + (i >= 7) + (i != 7) == 3 && sizeof(i == 7) == 4)
  int4 v = (int4)(6, 7, 8, 7);
  IS(all((v == i) == (int4)(0, -1, 0, -1)) && all((v < i) == (int4)(-1, 0, 0, 0)))
  IS(all((v != 7) == (int4)(-1, 0, -1, 0)) && all((v >= (int4)(7)) == (int4)(0, -1, -1, -1)))
  // The result has the operands' width.
  IS(all(((char2)(1, 2) > (char2)(1)) == (char2)(0, -1)) && sizeof((char2)(1, 2) > (char2)(1)) == 2)
  IS(all(((double2)(1, 2) <= (double2)(1)) == (long2)(-1, 0)) && sizeof((double2)(1, 2) <= 1.0) == 16)
  IS(all(((ushort2)(1, 65535) > (ushort2)(2)) == (short2)(0, -1)))
  float n = NAN;
  IS(!(n == n) && n != n && !(n < 1) && !(n > 1) && !(n <= n) && !(n >= n))
  float2 m = (float2)(NAN, i);
  IS(all((m == m) == (int2)(0, -1)) && all((m != m) == (int2)(-1, 0)) && all((m < 8.0f) == (int2)(0, -1)))
  IS(all((float2)(0.0f, -0.0f) == (float2)(-0.0f, 0.0f)))
  out[0] = wrong;
}

int count(int *calls, int result) {
  ++*calls;
  return result;
}
kernel void logic(global const int *seven, global uint *out) {
  BEGIN
  int i = seven[0], calls = 0;
  IS((i && 0.5f) == 1 && (i || 0) == 1 && (!i) == 0 && (!0.0f) == 1)
  (void)(count(&calls, 0) && count(&calls, 1));
  (void)(count(&calls, 1) || count(&calls, 1));
  IS(calls == 2)
  int2 v = (int2)(i, 0);
  IS(all((v && (int2)(1, 1)) == (int2)(-1, 0)) && all((v || (int2)(0, 0)) == (int2)(-1, 0)) && all(!v == (int2)(0, -1)))
  calls = 0;
  (void)((int2)(0) && (int2)(count(&calls, 1)));
  IS(calls == 1) // vector operands are both evaluated
  IS((i > 3 ? 10 : 20) == 10 && all((i > 9 ? (int2)(1, 2) : (int2)(3, 4)) == (int2)(3, 4)))
  // A vector condition selects by the highest bit of each component.
  int4 pick = (int4)(-1, 1, 0x80000000, 0);
  IS(all((pick ? (float4)(1, 2, 3, 4) : (float4)(5, 6, 7, 8)) == (float4)(1, 6, 3, 8)))
  IS(all((pick ? 100 : (int4)(i)) == (int4)(100, 7, 100, 7)))
  out[0] = wrong;
}

kernel void shifts(global const int *thirtythree, global uint *out) {
  BEGIN
  int n = thirtythree[0];
  IS(1 << n == 2 && -8 >> n == -4 && 0x80000000u >> n == 0x40000000u && (1L << n) == 0x200000000L)
  IS((long)-16 >> (n + 33) == -4 && 1UL << (n + 32) == 2)
  // Shift counts of vectors are modulo the component's width, not int's.
  IS(all(((uchar2)(1, 128) << (uchar2)(9, 1)) == (uchar2)(2, 0)) && all(((char2)(-128, 64) >> (char2)(9)) == (char2)(-64, 32)))
  IS(all(((ushort2)(0x8000) >> (ushort2)(n - 16, 16)) == (ushort2)(0x4000, 0x8000)))
  IS(all(((int4)(1, 2, 3, 4) << 1) == (int4)(2, 4, 6, 8)) && all(((long2)(-2) >> (long2)(65, 1)) == (long2)(-1)))
  IS((~n & 0xff) == 0xde && (n ^ 1) == 32 && (n | 2) == 35 && all(~(int2)(0, -1) == (int2)(-1, 0)))
  out[0] = wrong;
}

kernel void assignments(global const int *seven, global uint *out) {
  BEGIN
  int i = seven[0];
  int4 v = i;
  v += 1, v *= (int4)(1, 2, 3, 4), v -= i, v <<= 1;
  IS(all(v == (int4)(2, 18, 34, 50)))
  v /= 2, v %= 10, v |= 8, v &= 13, v ^= (int4)(1);
  IS(all(v == (int4)(8, 8, 12, 12)))
  float2 f = i;
  f /= 2, f = f * i;
  IS(all(f == (float2)(24.5f)))
  char c = 100;
  c += i * 10;
  IS(c == (char)170 && (i = 3, i + 1) == 4)
  uchar4 narrow = (uchar4)(250);
  narrow += (uchar)10;
  IS(all(narrow == (uchar4)(4)))
  int j = i++, k = ++i;
  IS(i == 5 && j == 3 && k == 5 && i-- == 5 && --i == 3)
  int4 w = (int4)(1);
  int4 x = w++, y = --w;
  IS(all(x == (int4)(1)) && all(y == (int4)(1)))
  out[0] = wrong;
}
