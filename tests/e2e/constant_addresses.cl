// Initializers that are addresses with offsets in elements of several types (dialects/frontend/Generation.cpp).

// RUN: kiln-clc -cl-std=CL3.0 %s -o %t.spv && spirv-val %t.spv

typedef struct {
  char tag;
  int value;
  short rest[3];
} Row;
constant int table[4] = {1, 2, 3, 4};
constant Row rows[2] = {{1, 20, {3, 4, 5}}, {6, 70, {8, 9, 10}}};
constant int *constant addresses[3] = {&table[2], &rows[1].value, table};
constant int *constant *constant second_address = &addresses[1];
constant short *constant rest = &rows[1].rest[1];
constant char *constant second = (constant char *)&table[3] - 3;
constant char *constant names[2] = {"kiln", &"clc"[1]};

// RUN: kiln-run %s constants --options=-cl-std=CL1.2 --global=1 out:i32[8] | FileCheck %s --check-prefix=CONSTANTS
// CONSTANTS: argument 0: 3 70 1 70 9 0 107 108{{$}}
kernel void constants(global int *out) {
  for (int i = 0; i < 3; ++i)
    out[i] = *addresses[i];
  out[3] = **second_address, out[4] = *rest, out[5] = second[0], out[6] = names[0][0], out[7] = names[1][0];
}

#if __OPENCL_C_VERSION__ >= 200
global Row shared[3] = {{1, 2, {3, 4, 5}}};
global short *global last = shared[0].rest + 2;
global Row *global end = shared + 3;
global char *global byte = (global char *)shared + 4;

// RUN: kiln-run %s globals --options=-cl-std=CL3.0 --global=1 out:i32[3] | FileCheck %s --check-prefix=GLOBALS
// GLOBALS: argument 0: 5 3 2{{$}}
kernel void globals(global int *out) { out[0] = *last, out[1] = end - shared, out[2] = *byte; }
#endif
