// Updates of memory at an address of each work-item's own (passes/simd/decide/ScatteredUpdates): histograms of bytes in
// local memory, and under a condition.
// FEATURES: EXEC-3.2.2b

// RUN: kiln-run %s bytes --global=48 --local=16 out:u32[48] in:u32[384]=11,0,5,10,15,4,9,14,3,8,13,2,7,12,1,6 | FileCheck %s --check-prefix=BYTES
// RUN: env KILN_VARIANTS=always kiln-run %s bytes --global=48 --local=16 out:u32[48] in:u32[384]=11,0,5,10,15,4,9,14,3,8,13,2,7,12,1,6 | FileCheck %s --check-prefix=BYTES
// RUN: env KILN_CPU_MACHINE_WIDTH=4 kiln-run %s bytes --global=48 --local=16 out:u32[48] in:u32[384]=11,0,5,10,15,4,9,14,3,8,13,2,7,12,1,6 | FileCheck %s --check-prefix=BYTES
// RUN: env KILN_CPU_MACHINE_WIDTH=1 kiln-run %s bytes --global=48 --local=16 out:u32[48] in:u32[384]=11,0,5,10,15,4,9,14,3,8,13,2,7,12,1,6 | FileCheck %s --check-prefix=BYTES
// BYTES: argument 0: 16 120 96 72 48 24 128 104 80 56 32 8 112 88 64 40 16 120 96 72 48 24 128 104 80 56 32 8 112 88 64 40 16 120 96 72 48 24 128 104 80 56 32 8 112 88 64 40{{$}}
kernel void bytes(global uint *to, global const uint *from) {
  local uchar bins[16 * 16];
  const uint l = get_local_id(0), group = get_group_id(0);
  for (uint b = 0; b < 16; ++b)
    bins[l * 16 + b] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 0; k < 8; ++k)
    bins[l * 16 + from[group * 128 + k * 16 + l]]++;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint sum = 0;
  for (uint item = 0; item < 16; ++item)
    sum += bins[item * 16 + l] * (item + 1);
  to[get_global_id(0)] = sum;
}

// RUN: kiln-run %s odd --global=48 out:u32[48] in:u32[384]=11,0,5,10,15,4,9,14,3,8,13,2,7,12,1,6 in:u32[768]=0 | FileCheck %s --check-prefix=ODD
// RUN: env KILN_CPU_MACHINE_WIDTH=4 kiln-run %s odd --global=48 out:u32[48] in:u32[384]=11,0,5,10,15,4,9,14,3,8,13,2,7,12,1,6 in:u32[768]=0 | FileCheck %s --check-prefix=ODD
// RUN: env KILN_CPU_MACHINE_WIDTH=1 kiln-run %s odd --global=48 out:u32[48] in:u32[384]=11,0,5,10,15,4,9,14,3,8,13,2,7,12,1,6 in:u32[768]=0 | FileCheck %s --check-prefix=ODD
// ODD: argument 0: 0 28 88 84 176 140 264 196 352 252 440 308 528 364 616 420 704 476 792 532 880 588 968 644 1056 700 1144 756 1232 812 1320 868 1408 924 1496 980 1584 1036 1672 1092 1760 1148 1848 1204 1936 1260 2024 1316{{$}}
kernel void odd(global uint *to, global const uint *from, global uint *bins) {
  const uint w = get_global_id(0);
  global uint *own = bins + w * 16;
  for (uint k = 0; k < 8; ++k) {
    const uint v = from[w * 8 + k];
    if (v & 1)
      own[v] = own[v] * 3 + w;
  }
  uint sum = 0;
  for (uint b = 0; b < 16; ++b)
    sum += own[b] * (b + 1);
  to[w] = sum;
}
