// Without an FMA instruction, fma is a function on integers, and no symbol is undefined.
// RUN: kiln-clc %s -o %t.spv
// RUN: kilnc --target=cpu:x86-64-v2 %t.spv -o %t.so
// RUN: llvm-nm --undefined-only -D %t.so | count 0
kernel void k(global float *a, global double *d, global float4 *v) {
  size_t i = get_global_id(0);
  a[i] = fma(a[i], a[i], 2.0f), d[i] = fma(d[i], d[i], d[i]), v[i] = fma(v[i], v[i], v[i]);
}
