// Loops with a dynamic trip count run four iterations at a time: a long body, and a short one, which LLVM would unroll
// eight times.
// RUN: kiln-clc -cl-std=CL1.2 %s -o %t.spv
// RUN: kilnc --target=nvptx:sm_90 %t.spv -o - | FileCheck %s

uint next(uint x) {
  x ^= x << 13;
  x ^= x >> 17;
  return x ^ x << 5;
}

// CHECK-LABEL: .visible .entry inside(
// CHECK-COUNT-8: cvt.rn.f32.u32
// CHECK-NOT: cvt.rn.f32.u32
// CHECK: {{^}}$L__BB
kernel void inside(global uint *states, global int *counts, int steps) {
  uint state = states[get_global_id(0)];
  int count = 0;
  for (int i = 0; i < steps; ++i) {
    float x = (float)((state = next(state)) >> 20), y = (float)((state = next(state)) >> 20);
    count += x * x + y * y < 16777216.0f;
  }
  counts[get_global_id(0)] = count;
}

// CHECK-LABEL: .visible .entry follow(
// CHECK: ld.global.b32
// CHECK: {{^}}$L__BB
// CHECK-COUNT-4: ld.global.b32
// CHECK-NOT: ld.global.b32
// CHECK: {{^}}$L__BB
kernel void follow(global const uint *next, global uint *at, uint steps) {
  uint node = at[get_global_id(0)];
  for (uint i = 0; i < steps; ++i)
    node = next[node];
  at[get_global_id(0)] = node;
}
