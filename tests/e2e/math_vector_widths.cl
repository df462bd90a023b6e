// A math function must return the same bits for a scalar and for a vector component, in every vector width, also in
// vectorized code, and independently of the other components.
// RUN: env KILN_DEVICES=cpu kiln-run %s floats --global=1024 --local=64 out:u32[1024] | FileCheck %s
// RUN: env KILN_DEVICES=cpu kiln-run %s doubles --global=1024 --local=64 out:u32[1024] | FileCheck %s
// CHECK: argument 0: 0 0 0 0 0 0 0 0
// CHECK-NOT: {{ [1-9]}}
#define COMPARE(f, of, type, bits)                                                                                     \
  {                                                                                                                    \
    type##16 all = f(of);                                                                                              \
    type##8 eight = f(of.hi);                                                                                          \
    type##4 four = f(of.hi.hi);                                                                                        \
    type##3 three = f(of.hi.hi.xyz);                                                                                   \
    type##2 two = f(of.hi.hi.xy);                                                                                      \
    type one = f(of.hi.hi.x);                                                                                          \
    different |= any(as_##bits##8(all.hi) != as_##bits##8(eight)) || any(as_##bits##4(eight.hi) != as_##bits##4(four)) ||\
                 any(as_##bits##2(four.xy) != as_##bits##2(two)) || any(as_##bits##2(three.xy) != as_##bits##2(two)) ||\
                 as_##bits(three.z) != as_##bits(four.z) || as_##bits(two.x) != as_##bits(one);                        \
  }
#define ALL(x, type, bits)                                                                                             \
  COMPARE(sin, x, type, bits)                                                                                          \
  COMPARE(exp, x, type, bits)                                                                                          \
  COMPARE(log1p, fabs(x), type, bits)                                                                                  \
  COMPARE(cbrt, x, type, bits)                                                                                         \
  COMPARE(atanpi, x, type, bits)                                                                                       \
  COMPARE(tgamma, x, type, bits)                                                                                       \
  COMPARE(erfc, x, type, bits)
kernel void floats(global uint *out) {
  uint i = get_global_id(0), different = 0;
  // Every eighth argument is above 2^17, where another range reduction is used.
  float first = as_float(0x3f000000 + i * 0x9e37) * (i % 8 ? 1 : 0x1p40f);
  float16 x = first * (float16)(1, -2, 3, 0.1f, 0x1p30f, -5, 0.25f, 7, 8, -9, 0x1p-130f, 11, -1.5f, 13, 0x1p20f, 15);
  ALL(x, float, int)
  out[i] = different;
}
kernel void doubles(global uint *out) {
  uint i = get_global_id(0), different = 0;
  double first = as_double(0x3fe0000000000000 + i * 0x9e3779b97f4aul) * (i % 8 ? 1 : 0x1p40);
  double16 x = first * (double16)(1, -2, 3, 0.1, 0x1p30, -5, 0.25, 7, 8, -9, 0x1p-1030, 11, -1.5, 13, 0x1p20, 15);
  ALL(x, double, long)
  out[i] = different;
}
