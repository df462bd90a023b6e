// Indices of the form i / n, i % n and i & m: a vector inside one tile accesses consecutive memory, another vector falls
// back to scalar accesses.
// FEATURES: EXEC-3.2.2b

// RUN: kiln-run %s rows --global=32 --local=32 out:u32[35] u32=8 u32=9 u32=0 | FileCheck %s --check-prefix=ROWS0
// ROWS0: argument 0: 0 3 6 9 12 15 18 21 0 24 27 30 33 36 39 42 45 0 48 51 54 57 60 63 66 69 0 72 75 78 81 84 87 90 93{{$}}
// RUN: kiln-run %s rows --global=32 --local=32 out:u32[34] u32=11 u32=12 u32=0 | FileCheck %s --check-prefix=ROWS1
// ROWS1: argument 0: 0 3 6 9 12 15 18 21 24 27 30 0 33 36 39 42 45 48 51 54 57 60 63 0 66 69 72 75 78 81 84 87 90 93{{$}}
// RUN: kiln-run %s rows --global=32 --local=32 out:u32[42] u32=3 u32=4 u32=0 | FileCheck %s --check-prefix=ROWS2
// ROWS2: argument 0: 0 3 6 0 9 12 15 0 18 21 24 0 27 30 33 0 36 39 42 0 45 48 51 0 54 57 60 0 63 66 69 0 72 75 78 0 81 84 87 0 90 93{{$}}
// RUN: kiln-run %s rows --global=32 --local=32 out:u32[37] u32=20 u32=20 u32=5 | FileCheck %s --check-prefix=ROWS3
// ROWS3: argument 0: 0 0 0 0 0 15 18 21 24 27 30 33 36 39 42 45 48 51 54 57 60 63 66 69 72 75 78 81 84 87 90 93 96 99 102 105 108{{$}}
kernel void rows(global uint *out, uint width, uint pitch, uint first) {
  const uint i = (uint)get_global_id(0) + first;
  out[i / width * pitch + i % width] = i * 3;
}

// RUN: kiln-run %s signed_rows --global=24 --local=24 out:u32[150] i32=11 | FileCheck %s --check-prefix=SIGNED0
// SIGNED0: argument 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 2 3 4 5 6 7 8 9 10 11 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 12 13 14 15 16 17 18 19 20 21 22 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 23 24 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0{{$}}
// RUN: kiln-run %s signed_rows --global=24 --local=24 out:u32[150] i32=-9 | FileCheck %s --check-prefix=SIGNED1
// SIGNED1: argument 0: 19 20 21 22 23 24 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 10 11 12 13 14 15 16 17 18 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 2 3 4 5 6 7 8 9 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0{{$}}
// RUN: kiln-run %s signed_rows --global=24 --local=24 out:u32[150] i32=24 | FileCheck %s --check-prefix=SIGNED2
// SIGNED2: argument 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0{{$}}
kernel void signed_rows(global uint *out, int width) {
  const int i = get_global_id(0);
  out[60 + 30 * (i / width) + i % width] = i + 1;
}

// RUN: kiln-run %s blocks --global=40 --local=40 out:u32[80] u32=7 | FileCheck %s --check-prefix=BLOCKS0
// BLOCKS0: argument 0: 0 1 2 3 4 5 6 7 0 0 0 0 0 0 0 0 8 9 10 11 12 13 14 15 0 0 0 0 0 0 0 0 16 17 18 19 20 21 22 23 0 0 0 0 0 0 0 0 24 25 26 27 28 29 30 31 0 0 0 0 0 0 0 0 32 33 34 35 36 37 38 39 0 0 0 0 0 0 0 0{{$}}
// RUN: kiln-run %s blocks --global=40 --local=40 out:u32[80] u32=3 | FileCheck %s --check-prefix=BLOCKS1
// BLOCKS1: argument 0: 0 1 2 3 0 0 0 0 4 5 6 7 0 0 0 0 8 9 10 11 0 0 0 0 12 13 14 15 0 0 0 0 16 17 18 19 0 0 0 0 20 21 22 23 0 0 0 0 24 25 26 27 0 0 0 0 28 29 30 31 0 0 0 0 32 33 34 35 0 0 0 0 36 37 38 39 0 0 0 0{{$}}
// RUN: kiln-run %s blocks --global=40 --local=40 out:u32[80] u32=31 | FileCheck %s --check-prefix=BLOCKS2
// BLOCKS2: argument 0: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 32 33 34 35 36 37 38 39 0 0 0 0 0 0 0 0{{$}}
kernel void blocks(global uint *out, uint mask) {
  const uint i = get_global_id(0), inside = i & mask;
  out[2 * (i - inside) + inside] = i;
}

// RUN: kiln-run %s shifts --global=40 --local=40 out:u32[40] in:u32[40]=1000,1100,1200,1300,1400,1500,1600,1700,1800,1900,2000,2100,2200,2300,2400,2500,2600,2700,2800,2900,3000,3100,3200,3300,3400,3500,3600,3700,3800,3900,4000,4100,4200,4300,4400,4500,4600,4700,4800,4900 u32=3 | FileCheck %s --check-prefix=SHIFTS0
// SHIFTS0: argument 0: 1000 1000 1000 1000 1000 1000 1000 1000 1100 1100 1100 1100 1100 1100 1100 1100 1200 1200 1200 1200 1200 1200 1200 1200 1300 1300 1300 1300 1300 1300 1300 1300 1400 1400 1400 1400 1400 1400 1400 1400{{$}}
// RUN: kiln-run %s shifts --global=40 --local=40 out:u32[40] in:u32[40]=1000,1100,1200,1300,1400,1500,1600,1700,1800,1900,2000,2100,2200,2300,2400,2500,2600,2700,2800,2900,3000,3100,3200,3300,3400,3500,3600,3700,3800,3900,4000,4100,4200,4300,4400,4500,4600,4700,4800,4900 u32=4 | FileCheck %s --check-prefix=SHIFTS1
// SHIFTS1: argument 0: 1000 1000 1000 1000 1000 1000 1000 1000 1000 1000 1000 1000 1000 1000 1000 1000 1100 1100 1100 1100 1100 1100 1100 1100 1100 1100 1100 1100 1100 1100 1100 1100 1200 1200 1200 1200 1200 1200 1200 1200{{$}}
// RUN: kiln-run %s shifts --global=40 --local=40 out:u32[40] in:u32[40]=1000,1100,1200,1300,1400,1500,1600,1700,1800,1900,2000,2100,2200,2300,2400,2500,2600,2700,2800,2900,3000,3100,3200,3300,3400,3500,3600,3700,3800,3900,4000,4100,4200,4300,4400,4500,4600,4700,4800,4900 u32=1 | FileCheck %s --check-prefix=SHIFTS2
// SHIFTS2: argument 0: 1000 1000 1100 1100 1200 1200 1300 1300 1400 1400 1500 1500 1600 1600 1700 1700 1800 1800 1900 1900 2000 2000 2100 2100 2200 2200 2300 2300 2400 2400 2500 2500 2600 2600 2700 2700 2800 2800 2900 2900{{$}}
kernel void shifts(global uint *out, global const uint *in, uint by) {
  const uint i = get_global_id(0);
  out[i] = in[i >> by];
}
