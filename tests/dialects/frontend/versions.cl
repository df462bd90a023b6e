// The language versions and their macros.

// RUN: kiln-clc -DWANT=120 %s -o %t.spv
// RUN: kiln-clc -cl-std=CL1.0 -DWANT=100 %s -o %t.spv
// RUN: kiln-clc -cl-std=CL1.1 -DWANT=110 %s -o %t.spv
// RUN: kiln-clc -cl-std=CL1.2 -DWANT=120 %s -o %t.spv
// RUN: kiln-clc -cl-std=CL2.0 -DWANT=200 %s -o %t.spv
// RUN: kiln-clc -cl-std=CL3.0 -DWANT=300 %s -o %t.spv
#if __OPENCL_C_VERSION__ != WANT
#error the wrong language
#endif
#if __OPENCL_VERSION__ != 300 || CL_VERSION_1_2 != 120 || CL_VERSION_2_0 != 200 || CL_VERSION_3_0 != 300
#error the wrong device
#endif
#if __ENDIAN_LITTLE__ != 1
#error the wrong order of bytes
#endif
#ifndef FP_FAST_FMAF
#error fma is fast
#endif

#if WANT >= 200
int counter = 3; // variables at program scope, and pointers to anywhere
int through(int *p) { return *p; }
kernel void k(global int *o, local int *l) { o[0] = through(o) + through(l) + counter; }
#else
kernel void k(global int *o) { o[0] = __OPENCL_C_VERSION__; }
#endif

// RUN: not kiln-clc -cl-std=CL1.2 -DWANT=120 -DTOO_NEW %s 2>&1 | FileCheck %s
// CHECK: error: {{.*}}constant address space
#ifdef TOO_NEW
int tooNew = 3;
#endif
