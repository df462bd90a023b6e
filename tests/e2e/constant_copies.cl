// Arrays in a function with constant values, read at a dynamic index, are the constant itself (ocl-replace-constant-copies).

// RUN: kiln-clc %s -o %t.spv
// RUN: kilnc --emit=ocl %t.spv -o - | FileCheck %s --implicit-check-not=llvm.alloca --check-prefix=OCL
// OCL: module

float direction(uint i) {
  const float all[3 * 27] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 0, 0, 1, -1, 1, -1, 0, 0, 1, -1, 1, -1, 1, -1, -1, 1,
                             0, 0, 0, 1, -1, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, -1, 1,
                             0, 0, 0, 0, 0, 1, -1, 0, 0, 1, -1, 1, -1, 0, 0, -1, 1, -1, 1, 1, -1, -1, 1, -1, 1, 1, -1};
  return all[i];
}

// RUN: kiln-run %s long_array --global=81 in:f32[81]=iota out:f32[81] | FileCheck %s --check-prefix=LONG
// LONG: argument 1: 0 2 1 3 4 5 6 8 7 10 9 11 12 14 13 16 15 17 18 20 19 22 21 24 23 24 27 27 28
kernel void long_array(global const float *in, global float *out) {
  size_t i = get_global_id(0);
  out[i] = in[i] + direction(i);
}

// RUN: kiln-run %s vectors --global=6 out:i32[6] | FileCheck %s --check-prefix=VECTORS
// VECTORS: argument 0: 110 2 10 18 26 34{{$}}
kernel void vectors(global int *out) {
  const int4 steps[] = {(int4)(1, 0, 0, 1), (int4)(2, 3, 2, 3), (int4)(4, 5, 4, 5), (int4)(6, 7, 6, 7), (int4)(8, 9, 8, 9),
                        (int4)(50, 5, 50, 5)};
  size_t i = get_global_id(0);
  int4 step = steps[(i + 5) % 6];
  out[i] = step.x + step.y + step.z + step.w;
}

int sum(const int *values, int from) { return values[from] + values[(from + 3) % 6]; }

// RUN: kiln-run %s through_pointer --global=6 out:i32[6] | FileCheck %s --check-prefix=POINTER
// POINTER: argument 0: 9 7 8 9 7 8{{$}}
kernel void through_pointer(global int *out) {
  int values[2][3] = {{5, 3, 1}, {4, 4, 7}};
  out[get_global_id(0)] = sum(values[0], get_global_id(0));
}
