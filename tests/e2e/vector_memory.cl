// vload and vstore at any element in every address space, and shuffles with dynamic masks. Each kernel writes 0 if all
// results are correct.
// FEATURES: LANG-1.13.7a, LANG-1.13.12
// RUN: kiln-run %s loads --options=-cl-std=CL3.0 --global=1 inout:i32[32]=iota out:u32[1] | FileCheck %s
// RUN: kiln-run %s stores --options=-cl-std=CL3.0 --global=1 inout:i32[32]=iota out:u32[1] | FileCheck %s
// RUN: kiln-run %s shuffles --options=-cl-std=CL3.0 --global=1 in:i32[1]=17 out:u32[1] | FileCheck %s
// CHECK: argument 1: 0{{$}}
#define IS(x) wrong += (x) ? 0 : 1u << (counter % 31), ++counter;
#define BEGIN uint wrong = 0, counter = 0;

constant int table[20] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19};
// Loads of all widths from element `at`; element i contains i.
#define LOADS(p, at)                                                                                                   \
  IS(all(vload2(1, p + at) == (int2)(at + 2, at + 3)))                                                                 \
  IS(all(vload3(1, p + at) == (int3)(at + 3, at + 4, at + 5)))                                                         \
  IS(all(vload4(1, p + at) == (int4)(at + 4, at + 5, at + 6, at + 7)))                                                 \
  IS(vload8(1, p + at).s7 == at + 15 && vload16(0, p + at).sf == at + 15)
#define TYPE(type)                                                                                                     \
  {                                                                                                                    \
    type mine[24];                                                                                                     \
    for (int i = 0; i < 24; ++i)                                                                                       \
      mine[i] = (type)i;                                                                                               \
    type##3 three = vload3(2, mine + 1);                                                                               \
    type##16 all16 = vload16(0, mine + 3);                                                                             \
    IS(three.x == 7 && three.z == 9 && all16.s0 == 3 && all16.sf == 18)                                                \
    vstore3(three, 0, mine + 1);                                                                                       \
    vstore4(all16.lo.lo, 1, mine + 1);                                                                                 \
    IS(mine[0] == 0 && mine[1] == 7 && mine[3] == 9 && mine[4] == 4 && mine[5] == 3 && mine[8] == 6 && mine[9] == 9)   \
  }
kernel void loads(global int *numbers, global uint *out) {
  BEGIN
  local int shared[24];
  int mine[24];
  for (int i = 0; i < 24; ++i)
    shared[i] = mine[i] = i;
  LOADS(numbers, 1) LOADS(shared, 3) LOADS(mine, 1) LOADS(table, 3)
  int *any = numbers[1] ? mine : (int *)numbers;
  LOADS(any, 1)
  TYPE(char) TYPE(uchar) TYPE(short) TYPE(ushort) TYPE(int) TYPE(uint) TYPE(long) TYPE(ulong) TYPE(float) TYPE(double)
  out[0] = wrong;
}
kernel void stores(global int *numbers, global uint *out) {
  BEGIN
  local int shared[24];
  int mine[24], *any = numbers[1] ? mine : (int *)numbers;
  for (int i = 0; i < 24; ++i)
    shared[i] = mine[i] = i;
  vstore3((int3)(100, 101, 102), 1, numbers + 1);
  vstore2((int2)(103, 104), 4, numbers);
  IS(numbers[3] == 3 && numbers[4] == 100 && numbers[6] == 102 && numbers[7] == 7 && numbers[8] == 103 && numbers[9] == 104)
  vstore4((int4)(1, 2, 3, 4), 0, shared + 5);
  IS(shared[4] == 4 && shared[5] == 1 && shared[8] == 4 && shared[9] == 9)
  vstore8((int8)(-1), 1, any + 3);
  IS(mine[10] == 10 && mine[11] == -1 && mine[18] == -1 && mine[19] == 19)
  vstore16((int16)(5), 0, any + 7);
  IS(mine[6] == 6 && mine[7] == 5 && mine[22] == 5 && mine[23] == 23)
  out[0] = wrong;
}
kernel void shuffles(global const int *seventeen, global uint *out) {
  BEGIN
  int n = seventeen[0]; // 1, modulo 16, 4 and 2
  IS(vec_step(int3) == 4 && vec_step(char) == 1 && vec_step((double8)(0)) == 8 && vec_step(float2) == 2)
  int4 v = (int4)(10, 20, 30, 40);
  IS(all(shuffle(v, (uint4)(3, n, n - 1, n + 1)) == (int4)(40, 20, 10, 30)))
  IS(all(shuffle(v, (uint2)(n + 2, 4)) == (int2)(40, 10)))
  IS(all(shuffle((char2)(1, 2), (uchar8)(0, n, 0, n, 2, 3, 254, 255)) == (char8)(1, 2, 1, 2, 1, 2, 1, 2)))
  IS(all(shuffle2(v, v + 1, (uint4)(4, n, n + 6, 8)) == (int4)(11, 20, 41, 10)))
  float8 f = (float8)(0, 1, 2, 3, 4, 5, 6, 7);
  IS(all(shuffle2(f, f + 8, (uint16)(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, n, n - 1)) ==
         (float16)(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)))
  IS(all(shuffle((double4)(1, 2, 3, 4), (ulong2)(n, 2)) == (double2)(2, 3)))
  IS(all(shuffle((ushort16)(7), (ushort4)(n)) == (ushort4)(7)))
  out[0] = wrong;
}
