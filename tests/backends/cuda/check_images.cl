// KILN_CHECK=memory for NVIDIA's GPUs: coordinates of images, also where a texture object is read.
// RUN: kilnc --target=nvptx:sm_90 --check-memory --emit=asm %s -o - | FileCheck %s
// RUN: kilnc --target=nvptx:sm_90 --emit=asm %s -o - | FileCheck %s --check-prefix=WITHOUT
// WITHOUT-NOT: ocl_report_finding

// CHECK-LABEL: .entry texture(
// CHECK: ocl_report_finding
// CHECK: ret;
kernel void texture(read_only image2d_t from, global int *out) {
  out[0] = read_imagei(from, (int2)(out[1], out[2])).x;
}

// CHECK-LABEL: .entry written(
// CHECK: ocl_report_finding
// CHECK: ret;
kernel void written(write_only image2d_t to, global int *at) { write_imagei(to, (int2)(at[0], at[1]), (int4)(1)); }

// Defined everywhere.
// CHECK-LABEL: .entry clamped(
// CHECK-NOT: ocl_report_finding
// CHECK: ret;
constant sampler_t clamp_to_edge = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST | CLK_ADDRESS_CLAMP_TO_EDGE;
kernel void clamped(read_only image2d_t from, global int *out) {
  out[0] = read_imagei(from, clamp_to_edge, (int2)(out[1], out[2])).x;
}
// CHECK-LABEL: .func {{.*}}ocl_report_finding(
