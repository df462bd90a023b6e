// a * b + c may be fused in one expression, but not over two statements or with FP_CONTRACT OFF.

// RUN: kiln-clc %s -o %t.spv && spirv-val %t.spv && spirv-dis %t.spv | FileCheck %s
// CHECK-DAG: OpEntryPoint Kernel %[[OFF:[^ ]+]] "off"
// CHECK-DAG: OpExecutionMode %[[OFF]] ContractionOff
// CHECK-LABEL: %fused = OpFunction
// CHECK: OpExtInst %float %{{.*}} mad
kernel void fused(global float *p) { p[0] = p[1] * p[2] + p[3]; }

// CHECK-LABEL: %apart = OpFunction
// CHECK: OpFMul
// CHECK: OpFAdd
kernel void apart(global float *p) {
  float product = p[1] * p[2];
  p[0] = product + p[3];
}

// CHECK-LABEL: %off = OpFunction
// CHECK: OpFMul
// CHECK: OpFAdd
kernel void off(global float *p) {
#pragma OPENCL FP_CONTRACT OFF
  p[0] = p[1] * p[2] + p[3];
}
