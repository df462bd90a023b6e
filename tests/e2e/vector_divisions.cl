// Integer divisions in vector code: each quotient and remainder is exact at the limits of the types.
// FEATURES: EXEC-3.2.2b

// RUN: kiln-run %s uints --global=16 --local=16 out:u32[32] in:u32[16]=0,1,2,3,7,10,255,256,65535,65536,16777215,16777217,2147483647,2147483648,4294967294,4294967295 in:u32[16]=4294967295,4294967294,2147483648,2147483647,16777217,16777215,65536,65535,256,255,10,7,3,2,1,1 | FileCheck %s --check-prefix=UINTS
// UINTS: argument 0: 0 0 0 0 0 0 0 0 255 257 1677721 2396745 715827882 1073741824 4294967294 4294967295 0 1 2 3 7 10 255 256 255 1 5 2 1 0 0 0{{$}}
kernel void uints(global uint *out, global const uint *a, global const uint *d) {
  const size_t i = get_global_id(0);
  out[i] = a[i] / d[i];
  out[16 + i] = a[i] % d[i];
}

// RUN: kiln-run %s uints_by_one --global=16 --local=16 out:u32[32] in:u32[16]=0,1,2,3,7,10,255,256,65535,65536,16777215,16777217,2147483647,2147483648,4294967294,4294967295 in:u32[1]=3 | FileCheck %s --check-prefix=UINTS0
// UINTS0: argument 0: 0 0 0 1 2 3 85 85 21845 21845 5592405 5592405 715827882 715827882 1431655764 1431655765 0 1 2 0 1 1 0 1 0 1 0 2 1 2 2 0{{$}}
// RUN: kiln-run %s uints_by_one --global=16 --local=16 out:u32[32] in:u32[16]=0,1,2,3,7,10,255,256,65535,65536,16777215,16777217,2147483647,2147483648,4294967294,4294967295 in:u32[1]=7 | FileCheck %s --check-prefix=UINTS1
// UINTS1: argument 0: 0 0 0 0 1 1 36 36 9362 9362 2396745 2396745 306783378 306783378 613566756 613566756 0 1 2 3 0 3 3 4 1 2 0 2 1 2 2 3{{$}}
// RUN: kiln-run %s uints_by_one --global=16 --local=16 out:u32[32] in:u32[16]=0,1,2,3,7,10,255,256,65535,65536,16777215,16777217,2147483647,2147483648,4294967294,4294967295 in:u32[1]=65537 | FileCheck %s --check-prefix=UINTS2
// UINTS2: argument 0: 0 0 0 0 0 0 0 0 0 0 255 255 32767 32767 65534 65535 0 1 2 3 7 10 255 256 65535 65536 65280 65282 32768 32769 65536 0{{$}}
// RUN: kiln-run %s uints_by_one --global=16 --local=16 out:u32[32] in:u32[16]=0,1,2,3,7,10,255,256,65535,65536,16777215,16777217,2147483647,2147483648,4294967294,4294967295 in:u32[1]=4294967295 | FileCheck %s --check-prefix=UINTS3
// UINTS3: argument 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 1 2 3 7 10 255 256 65535 65536 16777215 16777217 2147483647 2147483648 4294967294 0{{$}}
kernel void uints_by_one(global uint *out, global const uint *a, global const uint *d) {
  const size_t i = get_global_id(0);
  out[i] = a[i] / *d;
  out[16 + i] = a[i] % *d;
}

// RUN: kiln-run %s ints --global=16 --local=16 out:i32[32] in:i32[16]=0,1,2,3,7,10,255,256,65535,65536,16777215,16777217,2147483647,-2147483648,-2,-1 in:i32[16]=1,-2,-2147483648,2147483647,16777217,16777215,65536,65535,256,255,10,7,3,2,1,1 | FileCheck %s --check-prefix=INTS
// INTS: argument 0: 0 0 0 0 0 0 0 0 255 257 1677721 2396745 715827882 -1073741824 -2 -1 0 1 2 3 7 10 255 256 255 1 5 2 1 0 0 0{{$}}
kernel void ints(global int *out, global const int *a, global const int *d) {
  const size_t i = get_global_id(0);
  out[i] = a[i] / d[i];
  out[16 + i] = a[i] % d[i];
}

// RUN: kiln-run %s ints_by_one --global=16 --local=16 out:i32[32] in:i32[16]=0,1,2,3,7,10,255,256,65535,65536,16777215,16777217,2147483647,-2147483648,-2,-1 in:i32[1]=3 | FileCheck %s --check-prefix=INTS0
// INTS0: argument 0: 0 0 0 1 2 3 85 85 21845 21845 5592405 5592405 715827882 -715827882 0 0 0 1 2 0 1 1 0 1 0 1 0 2 1 -2 -2 -1{{$}}
// RUN: kiln-run %s ints_by_one --global=16 --local=16 out:i32[32] in:i32[16]=0,1,2,3,7,10,255,256,65535,65536,16777215,16777217,2147483647,-2147483648,-2,-1 in:i32[1]=-7 | FileCheck %s --check-prefix=INTS1
// INTS1: argument 0: 0 0 0 0 -1 -1 -36 -36 -9362 -9362 -2396745 -2396745 -306783378 306783378 0 0 0 1 2 3 0 3 3 4 1 2 0 2 1 -2 -2 -1{{$}}
// RUN: kiln-run %s ints_by_one --global=16 --local=16 out:i32[32] in:i32[16]=0,1,2,3,7,10,255,256,65535,65536,16777215,16777217,2147483647,-2147483648,-2,-1 in:i32[1]=65537 | FileCheck %s --check-prefix=INTS2
// INTS2: argument 0: 0 0 0 0 0 0 0 0 0 0 255 255 32767 -32767 0 0 0 1 2 3 7 10 255 256 65535 65536 65280 65282 32768 -32769 -2 -1{{$}}
// RUN: kiln-run %s ints_by_one --global=16 --local=16 out:i32[32] in:i32[16]=0,1,2,3,7,10,255,256,65535,65536,16777215,16777217,2147483647,-2147483648,-2,-1 in:i32[1]=2147483647 | FileCheck %s --check-prefix=INTS3
// INTS3: argument 0: 0 0 0 0 0 0 0 0 0 0 0 0 1 -1 0 0 0 1 2 3 7 10 255 256 65535 65536 16777215 16777217 0 -1 -2 -1{{$}}
// RUN: kiln-run %s ints_by_one --global=16 --local=16 out:i32[32] in:i32[16]=0,1,2,3,7,10,255,256,65535,65536,16777215,16777217,2147483647,-2147483648,-2,-1 in:i32[1]=-2147483648 | FileCheck %s --check-prefix=INTS4
// INTS4: argument 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 0 0 1 2 3 7 10 255 256 65535 65536 16777215 16777217 2147483647 0 -2 -1{{$}}
kernel void ints_by_one(global int *out, global const int *a, global const int *d) {
  const size_t i = get_global_id(0);
  out[i] = a[i] / *d;
  out[16 + i] = a[i] % *d;
}

// RUN: kiln-run %s ushorts --global=16 --local=16 out:u16[32] in:u16[16]=0,1,2,9,10,11,254,255,256,257,32767,32768,65533,65534,65535,60000 in:u16[16]=60000,65535,65534,65533,32768,32767,257,256,255,254,11,10,9,2,1,1 | FileCheck %s --check-prefix=USHORTS
// USHORTS: argument 0: 0 0 0 0 0 0 0 0 1 1 2978 3276 7281 32767 65535 60000 0 1 2 9 10 11 254 255 1 3 9 8 4 0 0 0{{$}}
kernel void ushorts(global ushort *out, global const ushort *a, global const ushort *d) {
  const size_t i = get_global_id(0);
  out[i] = a[i] / d[i];
  out[16 + i] = a[i] % d[i];
}

// RUN: kiln-run %s ushorts_by_one --global=16 --local=16 out:u16[32] in:u16[16]=0,1,2,9,10,11,254,255,256,257,32767,32768,65533,65534,65535,60000 in:u16[1]=3 | FileCheck %s --check-prefix=USHORTS0
// USHORTS0: argument 0: 0 0 0 3 3 3 84 85 85 85 10922 10922 21844 21844 21845 20000 0 1 2 0 1 2 2 0 1 2 1 2 1 2 0 0{{$}}
// RUN: kiln-run %s ushorts_by_one --global=16 --local=16 out:u16[32] in:u16[16]=0,1,2,9,10,11,254,255,256,257,32767,32768,65533,65534,65535,60000 in:u16[1]=255 | FileCheck %s --check-prefix=USHORTS1
// USHORTS1: argument 0: 0 0 0 0 0 0 0 1 1 1 128 128 256 256 257 235 0 1 2 9 10 11 254 0 1 2 127 128 253 254 0 75{{$}}
// RUN: kiln-run %s ushorts_by_one --global=16 --local=16 out:u16[32] in:u16[16]=0,1,2,9,10,11,254,255,256,257,32767,32768,65533,65534,65535,60000 in:u16[1]=65535 | FileCheck %s --check-prefix=USHORTS2
// USHORTS2: argument 0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 0 1 2 9 10 11 254 255 256 257 32767 32768 65533 65534 0 60000{{$}}
kernel void ushorts_by_one(global ushort *out, global const ushort *a, global const ushort *d) {
  const size_t i = get_global_id(0);
  out[i] = a[i] / *d;
  out[16 + i] = a[i] % *d;
}

// RUN: kiln-run %s chars --global=16 --local=16 out:i8[32] in:i8[16]=0,16,32,48,64,80,96,112,-128,-112,-96,-80,-64,-48,-32,-16 in:i8[16]=-16,-32,-48,-64,-80,-96,-112,-128,112,96,80,64,48,32,16,1 | FileCheck %s --check-prefix=CHARS
// CHARS: argument 0: 0 0 0 0 0 0 0 0 -1 -1 -1 -1 -1 -1 -2 -16 0 16 32 48 64 80 96 112 -16 -16 -16 -16 -16 -16 0 0{{$}}
kernel void chars(global char *out, global const char *a, global const char *d) {
  const size_t i = get_global_id(0);
  out[i] = a[i] / d[i];
  out[16 + i] = a[i] % d[i];
}

// RUN: kiln-run %s chars_by_one --global=16 --local=16 out:i8[32] in:i8[16]=0,16,32,48,64,80,96,112,-128,-112,-96,-80,-64,-48,-32,-16 in:i8[1]=3 | FileCheck %s --check-prefix=CHARS0
// CHARS0: argument 0: 0 5 10 16 21 26 32 37 -42 -37 -32 -26 -21 -16 -10 -5 0 1 2 0 1 2 0 1 -2 -1 0 -2 -1 0 -2 -1{{$}}
// RUN: kiln-run %s chars_by_one --global=16 --local=16 out:i8[32] in:i8[16]=0,16,32,48,64,80,96,112,-128,-112,-96,-80,-64,-48,-32,-16 in:i8[1]=-7 | FileCheck %s --check-prefix=CHARS1
// CHARS1: argument 0: 0 -2 -4 -6 -9 -11 -13 -16 18 16 13 11 9 6 4 2 0 2 4 6 1 3 5 0 -2 0 -5 -3 -1 -6 -4 -2{{$}}
// RUN: kiln-run %s chars_by_one --global=16 --local=16 out:i8[32] in:i8[16]=0,16,32,48,64,80,96,112,-128,-112,-96,-80,-64,-48,-32,-16 in:i8[1]=127 | FileCheck %s --check-prefix=CHARS2
// CHARS2: argument 0: 0 0 0 0 0 0 0 0 -1 0 0 0 0 0 0 0 0 16 32 48 64 80 96 112 -1 -112 -96 -80 -64 -48 -32 -16{{$}}
// RUN: kiln-run %s chars_by_one --global=16 --local=16 out:i8[32] in:i8[16]=0,16,32,48,64,80,96,112,-128,-112,-96,-80,-64,-48,-32,-16 in:i8[1]=-128 | FileCheck %s --check-prefix=CHARS3
// CHARS3: argument 0: 0 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 0 16 32 48 64 80 96 112 0 -112 -96 -80 -64 -48 -32 -16{{$}}
kernel void chars_by_one(global char *out, global const char *a, global const char *d) {
  const size_t i = get_global_id(0);
  out[i] = a[i] / *d;
  out[16 + i] = a[i] % *d;
}
