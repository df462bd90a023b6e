// REQUIRES: ptxas
// ptxas accepts reads through texture objects.
// RUN: kiln-clc -cl-std=CL3.0 %s -o %t.spv
// RUN: kilnc --target=nvptx:sm_90 --report %t.spv -o %t.ptx 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: FileCheck %s < %t.ptx
// RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
// A variant for a format has one of them. RGBA of 16 bits is decoded by the unit and filtered in code.
// RUN: kilnc --target=nvptx:sm_90 --kernel=clamps --local-size=32,8,1 --constant-args=0=2427785426 %t.spv -o - | FileCheck %s --check-prefix=UNIT
// UNIT: tex.2d.v4.f32.f32
// UNIT-NOT: {{tex|tld4}}.
// RUN: kilnc --target=nvptx:sm_90 --kernel=clamps --local-size=32,8,1 --constant-args=0=2427457757 %t.spv -o - | FileCheck %s --check-prefix=GATHER
// GATHER: tld4.r.2d.v4.f32.f32
// GATHER-NOT: {{tex|tld4}}.
// RUN: kilnc --target=nvptx:sm_90 --kernel=clamps --local-size=32,8,1 --constant-args=0=2427785427 %t.spv -o - | FileCheck %s --check-prefix=FOUR
// FOUR-COUNT-4: tex.2d.v4.f32.s32
// FOUR-NOT: {{tex|tld4}}.
// RUN: kilnc --target=nvptx:sm_75 %t.spv -o %t.ptx
// RUN: %ptxas -arch=sm_75 %t.ptx -o %t.cubin
constant sampler_t edges = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t smooth = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;

// CHECK-LABEL: .visible .entry picks(
// CHECK: tex.2d.v4.f32.s32
kernel void picks(read_only image2d_t from, global float4 *to) {
  to[get_global_id(0)] = read_imagef(from, edges, (int2)(get_global_id(0), get_global_id(1)));
}

// The texture unit's filter, a gather, or four pixels: which one depends on the format, and on the place.
// CHECK-LABEL: .visible .entry filters(
// CHECK-DAG: tex.2d.v4.f32.f32
// CHECK-DAG: tld4.r.2d.v4.f32.f32
// CHECK-DAG: tex.2d.v4.f32.s32
kernel void filters(read_only image2d_t from, global float4 *to) {
  to[get_global_id(0)] = read_imagef(from, smooth, (float2)(get_global_id(0), get_global_id(1)) / 100);
}

// CHECK-LABEL: .visible .entry integers(
// CHECK: tex.2d.v4.s32.s32
kernel void integers(read_only image2d_t from, sampler_t how, global int4 *to) {
  to[get_global_id(0)] = read_imagei(from, how, (float2)(get_global_id(0), get_global_id(1)));
}

// CHECK-LABEL: .visible .entry deep(
// CHECK: tex.2d.v4.f32.s32
kernel void deep(read_only image3d_t from, global float4 *to) {
  to[get_global_id(0)] = read_imagef(from, edges, (int4)(get_global_id(0), get_global_id(1), 0, 0));
}

constant sampler_t held = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
kernel void clamps(read_only image2d_t from, global float4 *to) {
  to[get_global_id(0)] = read_imagef(from, held, (float2)(get_global_id(0), get_global_id(1)));
}

constant sampler_t turned = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_LINEAR;

// Slices are rows of one plane: a filter in a volume is two of the texture unit's, mixed.
// CHECK-LABEL: .visible .entry volumes(
// CHECK-COUNT-10: tex.2d.v4.f32.{{[fs]}}32
// CHECK-NOT: tex.
kernel void volumes(read_only image3d_t from, global float4 *to) {
  to[get_global_id(0)] = read_imagef(from, turned, (float4)(get_global_id(0), get_global_id(1), 0, 0) / 100);
}

// CHECK-LABEL: .visible .entry layers(
// CHECK-COUNT-3: tex.2d.v4.f32.{{[fs]}}32
// CHECK-NOT: tex.
kernel void layers(read_only image1d_array_t from, global float4 *to) {
  to[get_global_id(0)] = read_imagef(from, turned, (float2)(get_global_id(0), get_global_id(1)) / 100);
}

// Pixels near each other in both dimensions: Kiln chooses tiles of work-items.
// REPORT: picks: {{.*}}, prefers tiles
// REPORT: volumes: {{.*}}, prefers tiles
// REPORT: layers: {{.*}}preferred multiple 32{{$}}
// REPORT: draws: {{.*}}preferred multiple 32{{$}}
kernel void draws(write_only image2d_t to) { write_imagef(to, (int2)(get_global_id(0), get_global_id(1)), 1.0f); }
