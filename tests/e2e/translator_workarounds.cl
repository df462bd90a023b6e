// Programs that crash the SPIR-V translator, or that it translates to invalid SPIR-V (dialects/frontend/Rewrites.h).

// RUN: kiln-clc -cl-std=CL2.0 %s -o %t.spv && spirv-val %t.spv

// A compound literal is a variable of the function.
// RUN: kiln-run %s literal --options=-cl-std=CL2.0 --global=7 --local=7 out:i32[7] | FileCheck %s --check-prefix=LITERAL
// LITERAL: argument 0: 1 2 3 4 5 1 2{{$}}
typedef struct {
  int v[5];
} five_t;
kernel void literal(global int *out) {
  const size_t i = get_global_id(0);
  out[i] = ((five_t){.v = {1, 2, 3, 4, 5}}).v[i % 5];
}

// A decimal literal above LONG_MAX has type ulong.
// RUN: kiln-run %s large --options=-cl-std=CL2.0 --global=3 --local=3 out:u64[3] | FileCheck %s --check-prefix=LARGE
// LARGE: argument 0: 0 14029467366897019727 9612190660084487838{{$}}
kernel void large(global ulong *out) {
  const size_t i = get_global_id(0);
  out[i] = i * 14029467366897019727;
}

// Atomic compare-exchange of floats compares their bits as integers.
// RUN: kiln-run %s exchange --options=-cl-std=CL2.0 --global=1 out:i32[5] inout:f32[1]=1.0 | FileCheck %s --check-prefix=EXCHANGE
// EXCHANGE: argument 0: 1 1065353216 1075838976 0 1075838976{{$}}
// EXCHANGE: argument 1: 2.5{{$}}
kernel void exchange(global int *out, global atomic_float *a) {
  float expected = 1;
  out[0] = atomic_compare_exchange_strong(a, &expected, 2.5f);
  out[1] = as_int(expected);
  out[2] = as_int(atomic_load(a));
  expected = 7;
  out[3] = atomic_compare_exchange_strong_explicit(a, &expected, 9.0f, memory_order_relaxed, memory_order_relaxed);
  out[4] = as_int(expected);
}

// RUN: kiln-run %s nulls --options=-cl-std=CL2.0 --global=2 out:i32[2] | FileCheck %s --check-prefix=NULLS
// NULLS: argument 0: 0 0{{$}}
kernel void nulls(global int *out) {
  clk_event_t event = CLK_NULL_EVENT;
  queue_t queue = CLK_NULL_QUEUE;
  if (get_global_id(0) == 7) // never true: a null queue cannot be used
    enqueue_marker(queue, 1, &event, &event);
  out[get_global_id(0)] = is_valid_event(event);
}

// Arrays without elements, which macros may produce.
// RUN: kiln-run %s empty --options=-cl-std=CL2.0 --global=1 out:i32[3] | FileCheck %s --check-prefix=EMPTY
// EMPTY: argument 0: 0 0 7{{$}}
kernel void empty(global int *out) {
  local int shared[0], rows[2][0];
  int x[0], y[2][0];
  for (uint i = 0; i < get_global_id(0); ++i)
    y[i][0] = i, shared[i] = i, rows[1][i] = i;
  for (uint i = 0; i < sizeof(x) / sizeof(int); ++i)
    x[i] = 5;
  out[0] = sizeof(x), out[1] = sizeof(y) + sizeof(rows), out[2] = 7;
}

// Uninitialized variables as components of a vector, some of which are read.
// RUN: kiln-run %s undefined --options=-cl-std=CL2.0 --global=1 i32=1 out:f32[16] | FileCheck %s --check-prefix=UNDEFINED
// UNDEFINED: argument 1: 1 2 {{.*}}
kernel void undefined(int n, global float *out) {
  float x;
  float4 y, v = (float4)(x);
  if (n)
    v.x = 1;
  v.y = 2;
  vstore4(v, 0, out);
  vstore8((float8)(x, y, y.xyz), 1, out);
}

// With -g, a line is between the loop's merge instruction and its branch.
// RUN: kiln-run %s hinted --options="-g -cl-std=CL2.0" --global=3 --local=3 out:i32[3] u32=4 | FileCheck %s --check-prefix=HINTED
// HINTED: argument 0: 4 5 6{{$}}
kernel void hinted(global int *out, uint n) {
  const size_t i = get_global_id(0);
  int sum = i;
#pragma nounroll
  do {
    ++sum;
  } while (--n);
  out[i] = sum;
}
