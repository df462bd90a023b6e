// Loops over windows that end at the borders of an image, and neighbours in a ring: one loop or load for all lanes of a
// vector inside, masks at the borders (passes/simd/decide/EarlyChecks).
// FEATURES: EXEC-3.2.2b

// RUN: kiln-run %s row --global=70 out:i32[70] in:u32[70]=iota i32=70 i32=3 | FileCheck %s --check-prefix=ROW
// RUN: env KILN_VARIANTS=always kiln-run %s row --global=70 out:i32[70] in:u32[70]=iota i32=70 i32=3 | FileCheck %s --check-prefix=ROW
// RUN: env KILN_CPU_MACHINE_WIDTH=4 kiln-run %s row --global=70 out:i32[70] in:u32[70]=iota i32=70 i32=3 | FileCheck %s --check-prefix=ROW
// RUN: env KILN_CPU_MACHINE_WIDTH=1 kiln-run %s row --global=70 out:i32[70] in:u32[70]=iota i32=70 i32=3 | FileCheck %s --check-prefix=ROW
// RUN: env KILN_CHECK_ASSUMPTIONS=1 kiln-run %s row --global=70 out:i32[70] in:u32[70]=iota i32=70 i32=3 2>&1 | FileCheck %s --check-prefix=ROW
// ROW-NOT: assumption
// ROW: argument 0: 266 420 378 381 422 494 380 328 338 410 513 430 409 450 522 408 356 366 438 541 458 437 478 550 436 384 394 466 352 300 310 382 485 402 381 422 494 380 328 338 410 513 430 409 450 522 408 356 366 438 541 458 437 478 550 436 384 394 466 352 300 310 382 485 402 381 422 319 223 141{{$}}
kernel void row(global int *to, global const uint *from, int width, int radius) {
  const int x = get_global_id(0);
  int sum = 0;
  for (int i = max(x - radius, 0); i <= min(x + radius, width - 1); ++i)
    sum += (from[i] * 7 % 31) * (i - x + radius + 1);
  to[x] = sum;
}

// RUN: kiln-run %s plane --global=120 out:u32[120] in:u32[120]=iota u32=40 u32=3 u32=1 | FileCheck %s --check-prefix=PLANE
// RUN: env KILN_VARIANTS=always kiln-run %s plane --global=120 out:u32[120] in:u32[120]=iota u32=40 u32=3 u32=1 | FileCheck %s --check-prefix=PLANE
// RUN: env KILN_CPU_MACHINE_WIDTH=4 kiln-run %s plane --global=120 out:u32[120] in:u32[120]=iota u32=40 u32=3 u32=1 | FileCheck %s --check-prefix=PLANE
// RUN: env KILN_CPU_MACHINE_WIDTH=1 kiln-run %s plane --global=120 out:u32[120] in:u32[120]=iota u32=40 u32=3 u32=1 | FileCheck %s --check-prefix=PLANE
// RUN: env KILN_CHECK_ASSUMPTIONS=1 kiln-run %s plane --global=120 out:u32[120] in:u32[120]=iota u32=40 u32=3 u32=1 2>&1 | FileCheck %s --check-prefix=PLANE
// PLANE-NOT: assumption
// PLANE: argument 0: 613 877 910 943 976 1009 1042 1075 1108 1141 1174 1207 1240 1273 1306 1339 1372 1405 1438 1471 1504 1537 1570 1603 1636 1669 1702 1735 1768 1801 1834 1867 1900 1933 1966 1999 2032 2065 2098 1291 1575 2202 2238 2274 2310 2346 2382 2418 2454 2490 2526 2562 2598 2634 2670 2706 2742 2778 2814 2850 2886 2922 2958 2994 3030 3066 3102 3138 3174 3210 3246 3282 3318 3354 3390 3426 3462 3498 3534 2130 847 1099 1114 1129 1144 1159 1174 1189 1204 1219 1234 1249 1264 1279 1294 1309 1324 1339 1354 1369 1384 1399 1414 1429 1444 1459 1474 1489 1504 1519 1534 1549 1564 1579 1594 1609 1624 1639 1654 909{{$}}
kernel void plane(global uint *to, global const uint *from, uint width, uint height, uint radius) {
  const uint id = get_global_id(0), x = id % width, y = id / width;
  const uint left = x < radius ? 0 : x - radius, right = x + radius >= width ? width - 1 : x + radius;
  const uint top = y < radius ? 0 : y - radius, bottom = y + radius >= height ? height - 1 : y + radius;
  uint sum = 0;
  for (uint i = left; i <= right; ++i)
    for (uint j = top; j <= bottom; ++j)
      sum += from[j * width + i] * ((j - (y - radius)) * (2 * radius + 1) + (i - (x - radius)));
  to[id] = sum;
}

// RUN: kiln-run %s ring --global=70 out:u32[70] in:u32[70]=iota i32=70 | FileCheck %s --check-prefix=RING
// RUN: env KILN_VARIANTS=always kiln-run %s ring --global=70 out:u32[70] in:u32[70]=iota i32=70 | FileCheck %s --check-prefix=RING
// RUN: env KILN_CPU_MACHINE_WIDTH=4 kiln-run %s ring --global=70 out:u32[70] in:u32[70]=iota i32=70 | FileCheck %s --check-prefix=RING
// RUN: env KILN_CPU_MACHINE_WIDTH=1 kiln-run %s ring --global=70 out:u32[70] in:u32[70]=iota i32=70 | FileCheck %s --check-prefix=RING
// RUN: env KILN_CHECK_ASSUMPTIONS=1 kiln-run %s ring --global=70 out:u32[70] in:u32[70]=iota i32=70 2>&1 | FileCheck %s --check-prefix=RING
// RING-NOT: assumption
// RING: argument 0: 208 2 6 10 14 18 22 26 30 34 38 42 46 50 54 58 62 66 70 74 78 82 86 90 94 98 102 106 110 114 118 122 126 130 134 138 142 146 150 154 158 162 166 170 174 178 182 186 190 194 198 202 206 210 214 218 222 226 230 234 238 242 246 250 254 258 262 266 270 204{{$}}
kernel void ring(global uint *to, global const uint *from, int width) {
  const int x = get_global_id(0), before = x == 0 ? width - 1 : x - 1, after = x == width - 1 ? 0 : x + 1;
  to[x] = from[before] * 3 + from[after];
}

// A choice between a number that steps and one that does not step evenly.
// RUN: kiln-run %s uneven_side --global=40 out:u32[40] in:u32[40]=iota | FileCheck %s --check-prefix=UNEVEN
// RUN: env KILN_CPU_MACHINE_WIDTH=4 kiln-run %s uneven_side --global=40 out:u32[40] in:u32[40]=iota | FileCheck %s --check-prefix=UNEVEN
// UNEVEN: argument 0: 0 0 0 1 1 1 2 2 2 3 3 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39{{$}}
kernel void uneven_side(global uint *to, global const uint *from) {
  const int x = get_global_id(0), third = x / 3;
  to[x] = from[x > 10 ? x : third];
}

// RUN: kiln-run %s uneven_value --global=1 --local=1 out:i32[1] out:i64[1] | FileCheck %s --check-prefix=VALUE
// VALUE: argument 0: 0{{$}}
// VALUE: argument 1: 0{{$}}
kernel void uneven_value(global int *to, global long *other) {
  const size_t id = get_global_id(0);
  const char local_id = get_local_id(0);
  to[0] = select((int)(id / 3), (int)local_id, (int)local_id);
  other[0] = id / 16 < 0UL;
}
