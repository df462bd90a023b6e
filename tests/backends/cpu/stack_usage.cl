// 2,000 long vectors that are live at once exceed the limit of a stack frame.
// RUN: kiln-clc %s -o %t.spv
// RUN: not kilnc %t.spv -o %t.so 2>&1 | FileCheck %s
// CHECK: error: a kernel's stack frame has {{2.....}} bytes, must have at most 229376: too many values are live at the same time
#define EACH8(m, n) m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7)
#define EACH64(m, n) EACH8(m, n##0) EACH8(m, n##1) EACH8(m, n##2) EACH8(m, n##3)                                       \
                     EACH8(m, n##4) EACH8(m, n##5) EACH8(m, n##6) EACH8(m, n##7)
#define EACH512(m, n) EACH64(m, n##0) EACH64(m, n##1) EACH64(m, n##2) EACH64(m, n##3)                                  \
                      EACH64(m, n##4) EACH64(m, n##5) EACH64(m, n##6) EACH64(m, n##7)
#define READ(n) const ulong16 v##n = p[0##n];
#define WRITE(n) p[0##n] = v##n * 3;
kernel void many(volatile global ulong16 *p) {
  EACH512(READ, 1) EACH512(READ, 2) EACH512(READ, 3) EACH512(READ, 4)
  EACH512(WRITE, 4) EACH512(WRITE, 3) EACH512(WRITE, 2) EACH512(WRITE, 1)
}
