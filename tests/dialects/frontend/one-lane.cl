// A constant of 64 bits as a vector of smaller numbers: Clang makes a vector of one number of it on the way.
// RUN: kiln-clc %s -o - | spirv-dis | FileCheck %s
// CHECK-NOT: OpTypeVector {{.*}} 1
// CHECK-DAG: %[[ONE:.*]] = OpConstant %float 1
// CHECK-DAG: %[[TWO:.*]] = OpConstant %float 2
// CHECK: OpConstantComposite %v2float %[[ONE]] %[[TWO]]
kernel void pair(global float2 *out) { out[0] = as_float2(0x400000003f800000L) * out[1]; }

// The same as a part of another constant.
kernel void parts(global uchar4 *out) { out[0] /= as_uchar4(0x04030201) | (uchar4)1; }
