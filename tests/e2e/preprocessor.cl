// Macros, pragmas and attributes.
// FEATURES: LANG-1.7.1, LANG-1.10a, LANG-1.11b
// RUN: kiln-run %s macros --options=-cl-std=CL1.2 --global=1 out:u32[1] | FileCheck %s
// RUN: kiln-run %s macros --options=-DVERSION=100\ -cl-std=CL1.0 --global=1 out:u32[1] | FileCheck %s
// RUN: kiln-run %s macros --options=-DVERSION=300\ -cl-std=CL3.0\ -cl-fast-relaxed-math --global=1 out:u32[1] | FileCheck %s
// RUN: kiln-run %s macros --options=-DVERSION=110\ -cl-std=CL1.1 --global=1 out:u32[1] | FileCheck %s
// CHECK: argument 0: 0{{$}}
#ifndef VERSION
#define VERSION 120
#endif
#define IS(x) wrong += (x) ? 0 : 1u << (counter % 31), ++counter;
#define BEGIN uint wrong = 0, counter = 0;
#define TEXT(...) #__VA_ARGS__
#define JOIN(a, b) a##b
#pragma something unknown
bool same(constant const char *a, constant const char *b) {
  while (*a && *a == *b)
    ++a, ++b;
  return *a == *b;
}
constant char name[] = TEXT(a, b);
constant char wanted[] = "a, b";
constant char file[] = __FILE__;

kernel void macros(global uint *out) {
  BEGIN
  IS(__OPENCL_VERSION__ == 300 && __OPENCL_C_VERSION__ == VERSION)
  IS(CL_VERSION_1_0 == 100 && CL_VERSION_1_1 == 110 && CL_VERSION_1_2 == 120 && CL_VERSION_2_0 == 200)
  IS(__ENDIAN_LITTLE__ == 1 && FP_FAST_FMAF == 1 && __LINE__ == 29 && sizeof file > 1)
#ifdef __FAST_RELAXED_MATH__
  IS(VERSION == 300)
#else
  IS(VERSION != 300)
#endif
  int JOIN(va, lue) = 3;
  IS(value == 3 && same(name, wanted))
#line 1000
  IS(__LINE__ == 1000)
  out[0] = wrong;
}

// A kernel with local memory is called by another kernel.
// RUN: kiln-run %s outer --global=4 --local=4 out:u32[4] | FileCheck %s --check-prefix=CALLS
// CALLS: argument 0: 13 12 11 10{{$}}
kernel void inner(global uint *out, uint add) {
  local uint all[4];
  all[get_local_id(0)] = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = all[3 - get_local_id(0)] + add;
}
kernel void outer(global uint *out) { inner(out, 10); }

// RUN: kiln-run %s unrolled --options=-cl-std=CL3.0 --global=1 out:u32[1] | FileCheck %s --check-prefix=UNROLLED
// UNROLLED: argument 0: 4995{{$}}
// RUN: not kiln-clc -cl-std=CL2.0 -DWRONG %s -o - 2>&1 | FileCheck %s --check-prefix=WRONG
kernel void unrolled(global uint *out) {
  uint sum = 0;
  __attribute__((opencl_unroll_hint(4))) for (int i = 0; i < 10; ++i) sum += i;
  int j = 0;
  __attribute__((opencl_unroll_hint)) while (j < 10) sum += 10 * j++;
  __attribute__((opencl_unroll_hint(1))) do sum += 100 * --j; while (j > 1);
#ifdef WRONG
  // WRONG: error: 'opencl_unroll_hint' attribute requires a positive integral compile time constant expression
  __attribute__((opencl_unroll_hint(-1))) for (int i = 0; i < 10; ++i) sum += i;
  // WRONG: error: 'opencl_unroll_hint' attribute only applies to
  __attribute__((opencl_unroll_hint(2))) sum = 1;
#endif
  out[0] = sum;
}
