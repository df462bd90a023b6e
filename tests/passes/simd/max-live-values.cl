// The live values of sixteen work-items must not exceed 64 KiB.
// RUN: kiln-clc %s -o %t.spv
// RUN: kilnc --target=cpu:x86-64-v4 --report --emit=asm %t.spv -o /dev/null 2>&1 | FileCheck %s
// CHECK-DAG: kernel 'few' is vectorized: 16 work-items per vector
// CHECK-DAG: kernel 'many' is not vectorized: the live values of one vector need more than 64 KiB
#define EACH8(m, n) m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7)
#define EACH64(m, n) EACH8(m, n##0) EACH8(m, n##1) EACH8(m, n##2) EACH8(m, n##3)                                       \
                     EACH8(m, n##4) EACH8(m, n##5) EACH8(m, n##6) EACH8(m, n##7)
#define READ(n) const float8 v##n = from[i + 0##n];
#define FOLD(n) sum = sum * sum + v##n.s10325476;
#define TWIST(n) sum = sum * sum - v##n;
kernel void few(global float8 *to, global const float8 *from) {
  const size_t i = get_global_id(0);
  float8 sum = 1;
  EACH8(READ, 1) EACH8(FOLD, 1) EACH8(TWIST, 1)
  to[i] = sum;
}
kernel void many(global float8 *to, global const float8 *from) {
  const size_t i = get_global_id(0);
  float8 sum = 1;
  EACH64(READ, 1) EACH64(READ, 2) EACH64(FOLD, 1) EACH64(FOLD, 2) EACH64(TWIST, 1) EACH64(TWIST, 2)
  to[i] = sum;
}
