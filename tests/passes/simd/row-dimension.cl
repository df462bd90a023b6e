// passes/simd/decide/RowDimension: the dimension along which vectors run.
// RUN: kiln-clc %s -cl-std=CL3.0 -o %t.spv
// RUN: kilnc --target=cpu:x86-64-v4 --report --emit=asm %t.spv -o /dev/null 2>&1 | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: kilnc --target=cpu:x86-64-v4 --machine-width=1 --report --emit=asm %t.spv -o /dev/null 2>&1 | FileCheck %s
// RUN: kilnc --target=cpu:x86-64-v4 --kernel=tile --local-size=16,16,1 --report --emit=asm %t.spv -o /dev/null 2>&1 | FileCheck %s --check-prefix=SQUARE
// RUN: kilnc --target=cpu:x86-64-v4 --kernel=tile --local-size=64,1,1 --report --emit=asm %t.spv -o /dev/null 2>&1 | FileCheck %s --check-prefix=ROW
// RUN: kilnc --target=cpu:x86-64-v4 --kernel=column --local-size=64,1,1 --report --emit=asm %t.spv -o /dev/null 2>&1 | FileCheck %s --check-prefix=LOW

// y is the column of a matrix: the runtime is told to choose rows along y, in the scalar form as well.
// WIDE-DAG: kernel 'column' is vectorized: 32 work-items per vector along dimension 1
// CHECK-DAG: column: {{.*}} prefers rows along dimension 1
kernel void column(global float *a, global const float *m, int n) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < n && y < n)
    a[x * n + y] -= m[x * n] * a[y];
}

// One column fills no vector.
// LOW: kernel 'column' is vectorized: 16 work-items per vector{{$}}

// WIDE-DAG: kernel 'volume' is vectorized: 32 work-items per vector along dimension 2
// CHECK-DAG: volume: {{.*}} prefers rows along dimension 2
kernel void volume(global float *to, global const float *from, int n) {
  const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), at = (x * n + y) * n + z;
  to[at] = from[at] + from[at + n];
}

// WIDE-DAG: kernel 'product' is vectorized: {{.*}} along dimension 1
kernel void product(global float *c, global const float *a, global const float *b, int n) {
  const int row = get_global_id(0), column = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

// A kernel that has local memory runs in groups of the application's size.
// WIDE-DAG: kernel 'tile' is vectorized: 16 work-items per vector{{$}}
// SQUARE: kernel 'tile' is vectorized: 16 work-items per vector along dimension 1
// ROW: kernel 'tile' is vectorized: 16 work-items per vector{{$}}
kernel void tile(global float *to, local float *near, int n) {
  const int x = get_local_id(0), y = get_local_id(1);
  near[x * 17 + y] = to[x * n + y];
}

// These stay along x: accesses that are consecutive in x or in neither dimension, as many of the one as of the other,
// atomics, linear ids.
// CHECK-DAG: row: 2 arguments {{.*}} independent of the local size{{$}}
// CHECK-DAG: transpose: 3 arguments {{.*}} independent of the local size{{$}}
// WIDE-DAG: kernel 'row' is vectorized: 32 work-items per vector{{$}}
kernel void row(global float *a, int n) {
  const int x = get_global_id(0), y = get_global_id(1);
  a[y * n + x] += 1;
}
// WIDE-DAG: kernel 'transpose' is vectorized: {{[0-9]+}} work-items per vector{{$}}
kernel void transpose(global float *to, global const float *from, int n) {
  const int x = get_global_id(0), y = get_global_id(1);
  to[x * n + y] = from[y * n + x];
}
// Along y the loop's end would be uniform.
// WIDE-DAG: kernel 'steps' is vectorized: {{[0-9]+}} work-items per vector{{$}}
kernel void steps(global float *to, global const float *from, int n, int step) {
  const int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < n && x - k * step >= 0; ++k)
    sum += from[y * n + x - k * step];
  to[y * n + x] = sum;
}
// WIDE-DAG: kernel 'count' is vectorized: 16 work-items per vector{{$}}
kernel void count(global int *a, int n) {
  const int x = get_global_id(0), y = get_global_id(1);
  atomic_inc(a + x * n + y);
}
// WIDE-DAG: kernel 'group' is vectorized: 16 work-items per vector{{$}}
kernel void group(global int *a, int n) {
  const int x = get_global_id(0), y = get_global_id(1);
  a[x * n + y] = get_local_linear_id();
}
