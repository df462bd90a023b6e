// Sizes, alignments and conversions of types. Each kernel writes 0 if all are as the specification requires.
// FEATURES: LANG-1.1.1a, LANG-1.1.2, LANG-1.1.3b, LANG-1.1.5, LANG-1.1.6, LANG-1.1.7a, LANG-1.1.7b, LANG-1.2.1, LANG-1.2.2
// FEATURES: LANG-1.2.4a, LANG-1.2.6, LANG-1.3.11, LANG-1.11a
// RUN: kiln-run %s sizes --global=1 out:u32[1] | FileCheck %s
// RUN: kiln-run %s literals --global=1 out:u32[1] | FileCheck %s
// RUN: kiln-run %s components --global=1 out:u32[1] | FileCheck %s
// RUN: kiln-run %s conversions --global=1 in:i32[1]=7 out:u32[1] | FileCheck %s
// RUN: kiln-run %s derived --global=1 in:i32[1]=7 out:u32[1] | FileCheck %s
// RUN: kiln-run %s layout --global=1 out:u32[1] | FileCheck %s
// CHECK: argument {{[01]}}: 0{{$}}
#define IS(x) wrong += (x) ? 0 : 1u << (counter % 31), ++counter;
#define BEGIN uint wrong = 0, counter = 0;

// Each check sets one bit of the result if it fails.
#define ALIGNED(type, size) IS(sizeof(type) == (size)) IS(__alignof__(type) == (size))
#define VECTORS(type, size)                                                                                            \
  ALIGNED(type, size) ALIGNED(type##2, 2 * size) ALIGNED(type##3, 4 * size) ALIGNED(type##4, 4 * size)                 \
  ALIGNED(type##8, 8 * size) ALIGNED(type##16, 16 * size)
kernel void sizes(global uint *out) {
  BEGIN
  VECTORS(char, 1) VECTORS(uchar, 1) VECTORS(short, 2) VECTORS(ushort, 2) VECTORS(int, 4) VECTORS(uint, 4)
  VECTORS(long, 8) VECTORS(ulong, 8) VECTORS(float, 4) VECTORS(double, 8) VECTORS(half, 2)
  ALIGNED(size_t, 8) ALIGNED(ptrdiff_t, 8) ALIGNED(intptr_t, 8) ALIGNED(uintptr_t, 8) ALIGNED(global int *, 8)
  IS(sizeof(bool) == 1) IS(sizeof(int3[3]) == 48) IS(sizeof "four" == 5)
  IS((size_t)-1 > 0) IS((ptrdiff_t)-1 < 0) IS((intptr_t)-1 < 0) IS((uintptr_t)-1 > 0) IS((char)-1 < 0)
  // Array elements are consecutive without gaps. vload3 needs no alignment.
  char bytes[24];
  for (int i = 0; i < 24; ++i)
    bytes[i] = i;
  char3 three = vload3(1, bytes + 1);
  IS(three.x == 4 && three.y == 5 && three.z == 6)
  union { float4 vector; float each[4]; } both;
  both.vector = (float4)(1, 2, 3, 4);
  IS(both.each[0] == 1 && both.each[3] == 4)
  out[0] = wrong;
}

kernel void literals(global uint *out) {
  BEGIN
  float2 two = (float2)(1, 2);
  float4 four = (float4)(two, 3, 4);
  IS(all(four == (float4)(1, two.y, (float2)(3, 4))))
  IS(all((int8)(7) == (int8)(7, 7, 7, 7, 7, 7, 7, 7)))
  float16 many = (float16)(four, (float3)(5, 6, 7), 8, (float8)(9, 10, 11, 12, 13, 14, 15, 16));
  for (int i = 0; i < 16; ++i)
    IS(((float *)&many)[i] == i + 1)
  long3 sums = (long3)(1, (long2)(2, 3));
  IS(sums.x + sums.y * 10 + sums.z * 100 == 321)
  out[0] = wrong;
}

kernel void components(global uint *out) {
  BEGIN
  int16 v = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  IS(v.sa == 10 && v.sA == 10 && v.sf == 15 && v.SF == 15 && v.s0 == 0)
  IS(all(v.s37b2 == (int4)(3, 7, 11, 2)))
  IS(all(v.lo.hi.even == (int2)(4, 6)) && all(v.odd.lo == (int4)(1, 3, 5, 7)))
  int4 w = (int4)(1, 2, 3, 4);
  IS(all(w.wzyx == (int4)(4, 3, 2, 1)) && all(w.xxyy == (int4)(1, 1, 2, 2)))
  int3 t = (int3)(5, 6, 7);
  IS(t.hi.x == 7 && t.lo.y == 6 && t.odd.x == 6 && all(t.even == (int2)(5, 7)))
  w.yw = (int2)(20, 40);
  w.xz = w.zx;
  IS(all(w == (int4)(3, 20, 1, 40)))
  w.hi = w.lo;
  w.s0 += 100;
  IS(all(w == (int4)(103, 20, 3, 20)))
  out[0] = wrong;
}

kernel void conversions(global const int *seven, global uint *out) {
  BEGIN
  int i = seven[0];
  float4 splat = i; // a scalar in place of a vector
  IS(all(splat == (float4)(7, 7, 7, 7)))
  IS(all((float4)(1, 2, 3, 4) * i == (float4)(7, 14, 21, 28)))
  IS(all((short2)(1, 2) + (short)i == (short2)(8, 9)))
  IS(all((uchar4)(300 + i) == (uchar4)(51))) // a cast converts first, then splats
  IS(all((int2)(i == 7) == (int2)(-1)) || (int2)(i == 7).x == 1)
  bool truth = i;
  IS(truth == 1 && (int)(bool)0.25f == 1 && (bool)(i - 7) == 0)
  IS((char)(i + 250) == 1 && (uchar)-1 == 255 && (long)(uint)-1 == 0xffffffffL && (ulong)(int)-1 == ~0UL)
  // The usual arithmetic conversions: to the type of higher rank, and to the unsigned type if the ranks are equal.
  IS(-1 > 0u && -1L < 0u && (uchar)200 + (uchar)100 == 300 && (short)-1 < (ushort)1)
  IS(sizeof(i + 1.0f) == 4 && sizeof(i + 1.0) == 8 && sizeof((char)1 + (char)1) == 4 && sizeof(truth + truth) == 4)
  // Reinterpretation of bits.
  IS(as_int(1.0f) == 0x3f800000 && as_float(0xbf800000u) == -1.0f && as_ulong(-0.0) == 0x8000000000000000UL)
  IS(all(as_uchar4(0x04030201) == (uchar4)(1, 2, 3, 4)) && as_short2(0x00020001).y == 2)
  IS(all(as_int3((float4)(1, 2, 3, 4)) == as_int4((float4)(1, 2, 3, 4)).xyz))
  IS(all(as_float4((int3)(0x3f800000, 0x40000000, 0x40400000)).xyz == (float3)(1, 2, 3)))
  out[0] = wrong;
}

typedef struct Node { int value; struct Node *next; union { int whole; uchar bytes[4]; } u; } Node;
enum Colour { Red, Green = 5, Blue };
int add(const Node *node) {
  int sum = 0;
  for (; node; node = node->next)
    sum += node->value;
  return sum;
}
kernel void derived(global const int *seven, global uint *out) {
  BEGIN
  Node last = {seven[0], 0, {.whole = 0x04030201}}, first = {.value = 10, .next = &last, .u = {0}};
  IS(add(&first) == 17 && last.u.bytes[2] == 3)
  Node copy = first;
  copy.value = 1;
  IS(add(&copy) == 8 && first.value == 10)
  int table[3][4] = {{1, 2, 3, 4}, {5, 6}, {[3] = 9}};
  int(*row)[4] = &table[1], *item = &table[2][3];
  IS((*row)[1] == 6 && (*row)[2] == 0 && *item == 9 && item - &table[0][0] == 11)
  enum Colour colour = seven[0] > 5 ? Blue : Red;
  IS(colour == 6 && Green == 5)
  out[0] = wrong;
}

typedef struct __attribute__((packed)) { char c; int i; double d; } Packed;
typedef struct { char c; int i __attribute__((aligned(32))); char end; } Aligned;
typedef struct { char c; short s __attribute__((packed)); int3 v; } Mixed;
typedef struct { int i; struct {} empty; int end; } Tagged; // an empty struct is Clang's extension
typedef int Wide __attribute__((aligned(64)));
kernel void layout(global uint *out) {
  BEGIN
  IS(sizeof(Packed) == 13 && __alignof__(Packed) == 1)
  IS(sizeof(Aligned) == 64 && __alignof__(Aligned) == 32)
  IS(sizeof(Mixed) == 32 && __alignof__(Mixed) == 16)
  Packed packed[3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  IS(packed[1].i == 5 && packed[2].d == 9 && (char *)&packed[1].d - (char *)packed == 18)
  Aligned aligned[2];
  IS((char *)&aligned[1].i - (char *)aligned == 96 && ((size_t)&aligned[1].i & 31) == 0)
  Mixed mixed;
  IS((char *)&mixed.s - (char *)&mixed == 1 && (char *)&mixed.v - (char *)&mixed == 16)
  Tagged tagged = {1, {}, 2};
  IS(sizeof(Tagged) == 8 && (char *)&tagged.end - (char *)&tagged == 4 && tagged.end == 2)
  Wide wide;
  char other;
  Wide alone = 3;
  IS(((size_t)&alone & 63) == 0 && alone == 3)
  local double16 shared[2];
  IS(((size_t)&shared[1] & 127) == 0)
  out[0] = wrong;
}
