// Dynamic component indices of vectors of all lengths, compared with arrays in memory. Each work-item writes 7 if the
// results are equal.
// FEATURES: EXEC-3.2.2b

#define KERNEL(T, N)                                                                                                   \
  kernel void T##N##_numbers(global uint *out, global const uint *which) {                                             \
    const uint i = get_global_id(0);                                                                                   \
    T array[N], alike[N];                                                                                              \
    for (uint k = 0; k < N; ++k)                                                                                       \
      array[k] = (T)(3 * k + i), alike[k] = (T)(5 * k);                                                                \
    T##N vector = vload##N(0, array), same = vload##N(0, alike);                                                       \
    bool isRight = true;                                                                                               \
    for (uint round = 0; round < 9; ++round) {                                                                         \
      const uint at = (which[i] + round * 5) % N, other = (at * 7 + i) % N, together = round % N;                      \
      array[at] += (T)(round + 1), vector[at] += (T)(round + 1);                                                       \
      array[together] -= (T)(at), vector[together] -= (T)(at);                                                         \
      isRight = isRight && vector[other] == array[other] && vector[together] == array[together] &&                     \
                same[other] == alike[other] && same[together] == alike[together];                                      \
      if (other & 1)                                                                                                   \
        array[other] = array[at], vector[other] = vector[at];                                                          \
    }                                                                                                                  \
    for (uint k = 0; k < N; ++k)                                                                                       \
      isRight = isRight && vector[k] == array[k];                                                                      \
    out[i] = isRight ? 7 : 0;                                                                                          \
  }

// RUN: kiln-run %s char2_numbers --global=35 out:u32[35] in:u32[35]=iota | FileCheck %s
// RUN: kiln-run %s char16_numbers --global=35 out:u32[35] in:u32[35]=iota | FileCheck %s
// RUN: kiln-run %s short3_numbers --global=35 out:u32[35] in:u32[35]=iota | FileCheck %s
// RUN: kiln-run %s int3_numbers --global=35 out:u32[35] in:u32[35]=iota | FileCheck %s
// RUN: kiln-run %s int8_numbers --global=35 out:u32[35] in:u32[35]=iota | FileCheck %s
// RUN: kiln-run %s float4_numbers --global=35 out:u32[35] in:u32[35]=iota | FileCheck %s
// RUN: kiln-run %s float16_numbers --global=35 out:u32[35] in:u32[35]=iota | FileCheck %s
// RUN: kiln-run %s long16_numbers --global=35 out:u32[35] in:u32[35]=iota | FileCheck %s
// RUN: kiln-run %s double2_numbers --global=35 out:u32[35] in:u32[35]=iota | FileCheck %s
// CHECK: argument 0:{{( 7)+$}}
KERNEL(char, 2)
KERNEL(char, 16)
KERNEL(short, 3)
KERNEL(int, 3)
KERNEL(int, 8)
KERNEL(float, 4)
KERNEL(float, 16)
KERNEL(long, 16)
KERNEL(double, 2)

// A constant vector with a varying component index.
// RUN: kiln-run %s constants --global=20 out:u32[20] | FileCheck %s --check-prefix=CONSTANTS
// CONSTANTS: argument 0: 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 3 1 4 1{{$}}
kernel void constants(global uint *out) {
  const uchar16 digits = (uchar16)(3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3);
  out[get_global_id(0)] = digits[get_global_id(0) & 15];
}
