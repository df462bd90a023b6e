// A switch with more than 128 cases stays a jump per work-item.
// RUN: kiln-clc %s -o %t.spv
// RUN: kilnc --target=cpu:x86-64-v4 --report --emit=asm %t.spv -o /dev/null 2>&1 | FileCheck %s
// RUN: kiln-run %s some --global=40 out:u32[40] in:u32[40]=iota | FileCheck %s --check-prefix=SUMS
// RUN: kiln-run %s many --global=40 out:u32[40] in:u32[40]=iota | FileCheck %s --check-prefix=SUMS
// CHECK-DAG: kernel 'some' is vectorized: 16 work-items per vector
// CHECK-DAG: kernel 'many' is not vectorized: a switch has more than 128 cases
// SUMS: argument 0: 1 3 5 7 9 11 13 15 17 19 21 23 25 27 29 31 33 35 37 39 41 43 45 47 49 51 53 55 57 59 61 63 65 67 69 71 73 75 77 79{{$}}

#define EACH8(m, n) m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7)
#define EACH64(m, n) EACH8(m, n##0) EACH8(m, n##1) EACH8(m, n##2) EACH8(m, n##3)                                       \
                     EACH8(m, n##4) EACH8(m, n##5) EACH8(m, n##6) EACH8(m, n##7)
#define CASE(n) case 0##n - 64: to[i] = (0##n - 64) + x + 1; break;
kernel void some(global uint *to, global const uint *from) {
  const size_t i = get_global_id(0);
  const uint x = from[i];
  switch (x) {
    EACH64(CASE, 1)
  }
}
kernel void many(global uint *to, global const uint *from) {
  const size_t i = get_global_id(0);
  const uint x = from[i];
  switch (x) {
    EACH64(CASE, 1) EACH64(CASE, 2) EACH8(CASE, 40)
  }
}
