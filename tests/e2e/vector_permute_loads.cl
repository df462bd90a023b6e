// Gathers with close, almost linear indices: a window load and a permute if all lanes' elements are in the window, else
// scalar loads. Each work-item writes 7 if its value is correct.
// FEATURES: EXEC-3.2.2b

// Windows of every size, the last element of a window and the one after it, descending indices, both edges, ends of pages.
// RUN: kiln-run %s scaled --global=64 --local=64 out:u32[64] in:u32[400]=iota f32=1.5 f32=0 i32=399 | FileCheck %s
// RUN: kiln-run %s scaled --global=64 --local=64 out:u32[64] in:u32[400]=iota f32=2.0 f32=1 i32=399 | FileCheck %s
// RUN: kiln-run %s scaled --global=64 --local=64 out:u32[64] in:u32[400]=iota f32=2.0667 f32=0 i32=399 | FileCheck %s
// RUN: kiln-run %s scaled --global=64 --local=64 out:u32[64] in:u32[400]=iota f32=2.1 f32=0.9 i32=399 | FileCheck %s
// RUN: kiln-run %s scaled --global=64 --local=64 out:u32[64] in:u32[400]=iota f32=2.2 f32=0 i32=399 | FileCheck %s
// RUN: kiln-run %s scaled --global=64 --local=64 out:u32[64] in:u32[400]=iota f32=4.5 f32=0 i32=399 | FileCheck %s
// RUN: kiln-run %s scaled --global=64 --local=64 out:u32[64] in:u32[400]=iota f32=0.3 f32=7 i32=399 | FileCheck %s
// RUN: kiln-run %s scaled --global=64 --local=64 out:u32[64] in:u32[400]=iota f32=-1 f32=90 i32=399 | FileCheck %s
// RUN: kiln-run %s scaled --global=64 --local=64 out:u32[64] in:u32[40]=iota f32=1 f32=-10 i32=39 | FileCheck %s
// RUN: kiln-run %s scaled --global=4096 --local=64 out:u32[4096] in:u32[8192]=iota f32=1.9 f32=3 i32=8191 | FileCheck %s
// CHECK: argument 0:{{( 7)+$}}
kernel void scaled(global uint *out, global const uint *in, float scale, float from, int last) {
  const uint i = get_global_id(0);
  const int at = clamp((int)floor((float)i * scale + from), 0, last);
  out[i] = in[at] - (uint)at + 7;
}

// Indices of other types: 8 bits, which wrap around; 64 bits; unsigned.
// RUN: kiln-run %s widths --global=300 --local=300 out:u32[300] in:u32[400]=iota | FileCheck %s
kernel void widths(global uint *out, global const uint *in) {
  const uint i = get_global_id(0);
  const uchar narrow = max((uchar)(i + 200), (uchar)3);
  const ulong wide = min((ulong)get_global_id(0) * 2, (ulong)399);
  const uint without = min(i ^ 0u, 77u) + (i >> 3);
  out[i] = (in[narrow] - narrow) + (in[wide] - (uint)wide) + (in[without] - without) + 7;
}

// Floating-point elements, and two adjacent elements per work-item.
// RUN: kiln-run %s blended --global=64 --local=64 out:f32[64] in:f32[64]=iota f32=0.5 | FileCheck %s --check-prefix=BLEND
// BLEND: argument 0: 0 0.25 0.75 1.25 1.75 2.25 2.75 3.25
// BLEND-SAME: 31.25{{$}}
kernel void blended(global float *out, global const float *in, float scale) {
  const int i = get_global_id(0);
  const float position = ((float)i + 0.5f) * scale - 0.5f, below = floor(position);
  const int left = clamp((int)below, 0, 63), right = clamp((int)below + 1, 0, 63);
  out[i] = in[left] + (in[right] - in[left]) * (position - below);
}
