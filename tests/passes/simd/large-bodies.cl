// A body of more than 3,000 operations is vectorized if that is expected to halve its time, one of more than 16,000 is not.
// RUN: kiln-clc -DHUGE %s -o %t.spv
// RUN: kilnc --target=cpu:x86-64-v4 --report %t.spv -o %t.so 2>&1 | FileCheck %s
// CHECK-DAG: kernel 'hash' is vectorized: 16 work-items per vector
// CHECK-DAG: kernel 'lookup' is not vectorized: not profitable: the body is large, and its vector form is estimated to save less than half
// CHECK-DAG: kernel 'huge' is not vectorized: it has too many operations to vectorize
// RUN: kiln-run %s hash --global=20 out:u32[20] in:u32[20]=iota | FileCheck %s --check-prefix=HASH
// HASH: argument 0: 0 {{.*}} 19{{$}}

#define EACH8(m) m m m m m m m m
#define EACH64(m) EACH8(EACH8(m))
#define EACH512(m) EACH8(EACH64(m))

// Each step and its inverse: the result is the input.
#define STEP                                                                                                           \
  a += b ^ 0x9e3779b9;                                                                                                 \
  b = rotate(b, 7u) ^ a;
#define BACK                                                                                                           \
  b = rotate(b ^ a, 25u);                                                                                              \
  a -= b ^ 0x9e3779b9;

kernel void hash(global uint *to, global const uint *from) {
  const size_t i = get_global_id(0);
  uint a = from[i], b = from[(i + 1) % get_global_size(0)];
  EACH512(STEP)
  EACH512(BACK)
  to[i] = a;
}

kernel void lookup(global uint *to, global const uint *from) {
  const size_t i = get_global_id(0);
  uint a = from[i];
  EACH512(a = from[a & 1023] ^ (a >> 3);)
  EACH512(a = from[a & 1023] ^ (a >> 3);)
  to[i] = a;
}

#ifdef HUGE
kernel void huge(global uint *to, global const uint *from) {
  const size_t i = get_global_id(0);
  uint a = from[i], b = from[i + 1];
  EACH8(EACH512(STEP))
  to[i] = a;
}
#endif
