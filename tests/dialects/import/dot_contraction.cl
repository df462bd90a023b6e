// A dot product may be fused without contraction of separate operations: its error bound allows it.
// RUN: kiln-clc -cl-std=CL1.2 %s -o %t.spv
// RUN: kilnc --emit=ocl %t.spv -o - | FileCheck %s
#pragma OPENCL FP_CONTRACT OFF

// CHECK: arith.mulf {{.*}} fastmath<contract> : vector<3xf32>
// CHECK: arith.addf {{.*}} fastmath<contract> : f32
// CHECK: arith.addf {{.*}} fastmath<contract> : f32
// CHECK: arith.mulf {{[^<]*}} : f32
// CHECK: arith.addf {{[^<]*}} : f32
kernel void f(global float *out, float3 a, float3 b) { *out = dot(a, b) * a.x + b.y; }
