// A 64-bit constant as a vector of smaller numbers: Clang's IR has a one-component vector.
// RUN: kiln-clc %s -o - | spirv-dis | FileCheck %s
// CHECK-NOT: OpTypeVector {{.*}} 1
// CHECK-DAG: %[[ONE:.*]] = OpConstant %float 1
// CHECK-DAG: %[[TWO:.*]] = OpConstant %float 2
// CHECK: OpConstantComposite %v2float %[[ONE]] %[[TWO]]
kernel void pair(global float2 *out) { out[0] = as_float2(0x400000003f800000L) * out[1]; }

// A one-component vector inside another constant.
kernel void parts(global uchar4 *out) { out[0] /= as_uchar4(0x04030201) | (uchar4)1; }
