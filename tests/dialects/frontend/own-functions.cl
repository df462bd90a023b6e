// Kiln's built-in functions are declared for every way to write their names. Each file uses one way, because the header
// is included only if the source has one.
// FEATURES: X-E13

// RUN: split-file %s %t
// RUN: kiln-clc -cl-std=CL3.0 %t/named.cl -o - | spirv-dis | FileCheck %s
// RUN: kiln-clc -cl-std=CL3.0 -DFUNCTION=work_group_reduce_mul %t/option.cl -o - | spirv-dis | FileCheck %s
// RUN: kiln-clc -cl-std=CL3.0 %t/pasted.cl -o - | spirv-dis | FileCheck %s
// RUN: kiln-clc -cl-std=CL3.0 %t/split.cl -o - | spirv-dis | FileCheck %s
// RUN: kiln-clc -cl-std=CL3.0 %t/included.cl -o - | spirv-dis | FileCheck %s
// RUN: kiln-clc -cl-std=CL3.0 %t/all.cl -o %t/all.spv && spirv-val --target-env spv1.3 %t/all.spv
// CHECK: OpCapability GroupUniformArithmeticKHR
// CHECK: OpGroupIMulKHR %uint %uint_2 Reduce

// RUN: not kiln-clc --extensions=cl_khr_fp64 -cl-std=CL3.0 %t/named.cl -o %t/none.spv 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: {{.*}}work_group_reduce_mul

//--- named.cl
kernel void k(global int *p) { p[0] = work_group_reduce_mul(p[1]); }

//--- option.cl
kernel void k(global int *p) { p[0] = FUNCTION(p[1]); }

//--- pasted.cl
#define JOIN(a, b) a##b
kernel void k(global int *p) { p[0] = JOIN(work_gro, up_reduce_mul)(p[1]); }

//--- split.cl
kernel void k(global int *p) { p[0] = work_gro\
up_reduce_mul(p[1]); }

//--- named.h
#define FUNCTION work_group_reduce_mul

//--- included.cl
#include "named.h"
kernel void k(global int *p) { p[0] = FUNCTION(p[1]); }

//--- all.cl
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define REACHES(T, NAME)                                                                                               \
  kernel void T##_##NAME(global T *p) {                                                                                \
    p[0] = work_group_reduce_##NAME(p[1]);                                                                             \
    p[2] = work_group_scan_inclusive_##NAME(p[3]);                                                                     \
    p[4] = work_group_scan_exclusive_##NAME(p[5]);                                                                     \
  }
#define BITS(T) REACHES(T, mul) REACHES(T, and) REACHES(T, or) REACHES(T, xor)
BITS(int) BITS(uint) BITS(long) BITS(ulong)
REACHES(float, mul) REACHES(double, mul) REACHES(half, mul)
REACHES(int, logical_and) REACHES(int, logical_or) REACHES(int, logical_xor)
