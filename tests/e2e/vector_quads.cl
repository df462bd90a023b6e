// Gathers and scatters whose quads (four lanes) are consecutive are done as quads, others as scalar accesses. Each
// work-item reads its value back, and writes 7 if it is correct.
// FEATURES: EXEC-3.2.2b

// Consecutive ranges of 4 and 8 elements, aligned to quads or not; of 2, 5, 6 and 12; of more than a vector.
// RUN: kiln-run %s rows --global=64 --local=64 out:u32[64] in:u32[400]=iota room:u32[400] i32=4 i32=5 i32=0 | FileCheck %s
// RUN: kiln-run %s rows --global=64 --local=64 out:u32[64] in:u32[400]=iota room:u32[400] i32=8 i32=9 i32=0 | FileCheck %s
// RUN: kiln-run %s rows --global=64 --local=64 out:u32[64] in:u32[400]=iota room:u32[400] i32=8 i32=9 i32=4 | FileCheck %s
// RUN: kiln-run %s rows --global=64 --local=64 out:u32[64] in:u32[400]=iota room:u32[400] i32=8 i32=9 i32=3 | FileCheck %s
// RUN: kiln-run %s rows --global=64 --local=64 out:u32[64] in:u32[400]=iota room:u32[400] i32=2 i32=3 i32=0 | FileCheck %s
// RUN: kiln-run %s rows --global=64 --local=64 out:u32[64] in:u32[400]=iota room:u32[400] i32=5 i32=6 i32=0 | FileCheck %s
// RUN: kiln-run %s rows --global=64 --local=64 out:u32[64] in:u32[400]=iota room:u32[400] i32=6 i32=6 i32=0 | FileCheck %s
// RUN: kiln-run %s rows --global=64 --local=64 out:u32[64] in:u32[400]=iota room:u32[400] i32=12 i32=14 i32=0 | FileCheck %s
// RUN: kiln-run %s rows --global=64 --local=64 out:u32[64] in:u32[400]=iota room:u32[400] i32=-8 i32=-9 i32=0 | FileCheck %s
// RUN: kiln-run %s rows --global=64 --local=64 out:u32[64] in:u32[400]=iota room:u32[400] i32=64 i32=70 i32=0 | FileCheck %s
// CHECK: argument 0:{{( 7)+$}}
kernel void rows(global uint *out, global const uint *in, global uint *room, int width, int pitch, int first) {
  const int i = (int)get_global_id(0) + first, at = i / width * pitch + i % width;
  room[at] = in[at] + 1;
  out[get_global_id(0)] = room[at] - (uint)at + 6;
}

// Pairs of elements in blocks, as in a Fourier transform; every third work-item is inactive.
// RUN: kiln-run %s blocks --global=64 --local=64 out:u32[64] in:u32[512]=iota room:u32[512] u32=7 | FileCheck %s --check-prefix=SOME
// RUN: kiln-run %s blocks --global=64 --local=64 out:u32[64] in:u32[512]=iota room:u32[512] u32=3 | FileCheck %s --check-prefix=SOME
// RUN: kiln-run %s blocks --global=64 --local=64 out:u32[64] in:u32[512]=iota room:u32[512] u32=1 | FileCheck %s --check-prefix=SOME
// RUN: kiln-run %s blocks --global=64 --local=64 out:u32[64] in:u32[512]=iota room:u32[512] u32=5 | FileCheck %s --check-prefix=SOME
// RUN: kiln-run %s blocks --global=64 --local=64 out:u32[64] in:u32[512]=iota room:u32[512] u32=31 | FileCheck %s --check-prefix=SOME
// SOME: argument 0:{{( 0 7 7)+ 0$}}
kernel void blocks(global uint *out, global const uint2 *in, global uint2 *room, uint mask) {
  const uint i = get_global_id(0), at = 2 * i - (i & mask);
  if (i % 3) {
    room[at] = in[at] + 1u;
    const uint2 back = room[at];
    out[i] = back.x == 2 * at + 1 && back.y == 2 * at + 2 ? 7 : back.x;
  }
}
