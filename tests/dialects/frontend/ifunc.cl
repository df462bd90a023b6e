// Functions that are chosen when a program is loaded do not exist in SPIR-V. The attribute is an error; an alias works.
// RUN: not kiln-clc -DCHOSEN %s -o %t.spv 2>&1 | FileCheck %s
// RUN: kiln-clc %s -o %t.spv
// RUN: spirv-val --target-env opencl2.2 %t.spv
// CHECK: error: the program cannot be translated to SPIR-V: 'other' has the attribute ifunc, which SPIR-V cannot express
#ifdef CHOSEN
void *choose(void) { return 0; }
int other(int x) __attribute__((ifunc("choose")));
#else
int same(int x) { return x + 1; }
int other(int x) __attribute__((alias("same")));
#endif
kernel void k(global int *a) { a[0] = other(a[1]); }
