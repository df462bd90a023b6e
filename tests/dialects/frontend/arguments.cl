// Argument information for clGetKernelArgInfo: names, types and qualifiers as in the source, always.

// RUN: kiln-clc %s -o %t.spv && spirv-val --target-env opencl2.2 %t.spv && spirv-dis %t.spv | FileCheck %s
// CHECK-DAG: OpString "kernel_arg_type.k.float*,int4,pair,float*,image2d_t,"
// CHECK-DAG: OpString "kernel_arg_type_qual.k.const,,,restrict volatile,,"
// CHECK-DAG: OpName %{{.*}} "input"
// CHECK-DAG: OpName %{{.*}} "where"
// CHECK-DAG: OpName %{{.*}} "both"
// CHECK-DAG: OpName %{{.*}} "room"
// CHECK-DAG: OpName %{{.*}} "image"
typedef struct { int a, b; } pair;
kernel void k(global const float *input, int4 where, pair both, local volatile float *restrict room,
              write_only image2d_t image) {
  room[where.x] = input[both.b];
}

// CHECK-DAG: OpExecutionMode %[[SIZED:.*]] LocalSize 8 4 1
// CHECK-DAG: OpExecutionMode %[[SIZED]] VecTypeHint
// CHECK-DAG: OpEntryPoint Kernel %[[SIZED]] "sized"
// CHECK-DAG: OpString "kernel_attributes.sized.reqd_work_group_size(8,4,1) vec_type_hint(float4)"
__attribute__((reqd_work_group_size(8, 4, 1))) __attribute__((vec_type_hint(float4)))
kernel void sized(global float *out) { out[0] = 1; }

// vec_type_hint with unsigned and scalar types, which an execution mode cannot express.
// CHECK-DAG: OpString "kernel_attributes.hinted.work_group_size_hint(64,1,1) vec_type_hint(ushort3)"
__attribute__((vec_type_hint(ushort3), work_group_size_hint(64, 1, 1)))
kernel void hinted(global float *out) { out[0] = 1; }
// CHECK-DAG: OpString "kernel_attributes.single.vec_type_hint(long)"
__attribute__((vec_type_hint(long))) kernel void single(global float *out) { out[0] = 1; }
