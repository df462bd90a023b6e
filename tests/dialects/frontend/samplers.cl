// Samplers in all places where a program may have them, in any order: all have one SPIR-V type.
// FEATURES: LANG-1.13.14d

// RUN: kiln-clc %s -cl-std=CL3.0 -o %t.spv && spirv-val --target-env opencl2.2 %t.spv && spirv-dis %t.spv | FileCheck %s
// CHECK-COUNT-1: OpTypeSampler
// CHECK-NOT: OpTypeSampler
// A literal sampler without a filter.
// CHECK-DAG: OpConstantSampler %{{.*}} ClampToEdge 1 Linear
// CHECK-DAG: OpConstantSampler %{{.*}} Clamp 0 Nearest
constant sampler_t smooth = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

float4 at(read_only image2d_t image, sampler_t sampler, float2 place) { return read_imagef(image, sampler, place); }

kernel void literal(read_only image2d_t from, global float4 *to) {
  const sampler_t sharp = CLK_ADDRESS_CLAMP;
  to[0] = read_imagef(from, smooth, (float2)(0.5f)) + read_imagef(from, sharp, (int2)(1));
  to[1] = at(from, smooth, (float2)(0.5f));
}

kernel void argument(read_only image2d_t from, global float4 *to, sampler_t sampler) {
  to[0] = at(from, sampler, (float2)(0.5f));
}
