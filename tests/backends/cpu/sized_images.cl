// A variant for a local size keeps the library functions that its kernel calls and drops those of other kernels.

// RUN: kiln-clc %s -o %t.spv
// RUN: kilnc --kernel=reads --local-size=16,16,1 --emit=llvm %t.spv -o - | FileCheck %s
// CHECK-NOT: @other
// CHECK: define {{.*}}@reads.group.sized
// CHECK-NOT: @other
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
kernel void reads(read_only image2d_t in, global float4 *out) {
  const int x = get_global_id(0), y = get_global_id(1);
  out[y * 64 + x] = read_imagef(in, nearest, (int2)(x, y));
}
kernel void other(global int *out) { out[get_global_id(0)] = 1; }
