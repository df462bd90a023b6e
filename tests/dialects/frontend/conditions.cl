// A vector select with a scalar condition, which is not valid before SPIR-V 1.4.
// RUN: kiln-clc %s -o %t.spv && spirv-val %t.spv && spirv-dis %t.spv | FileCheck %s
// CHECK: OpSelect %v2uint
kernel void k(global int2 *p, int i) { p[0] = i > 9 ? (int2)(1, 2) : (int2)(3, 4); }
