// MakeLoopsReducible: loops with two and three entry blocks, also in each other, have one entry block when LLVM's code
// generator gets them, and the kernels compute the same on the CPU and on emulated AMD GPUs, whose code has structured
// control flow.

// RUN: kilnc --target=amdgpu:gfx942 --emit=llvm %s -o - | FileCheck %s
// RUN: kilnc --target=nvptx:sm_90 --emit=llvm %s -o - | FileCheck %s
// CHECK-LABEL: @tangle(
// CHECK: dispatch:
// CHECK: switch i32 %entry
// CHECK-LABEL: @plain(
// CHECK-NOT: dispatch
// CHECK: ret void

// RUN: kiln-run %s tangle --global=4 --local=4 in:u32[4]=74845286,1,9,6 out:u32[8] u32=1 | FileCheck %s --check-prefix=SHORT
// RUN: kiln-run %s tangle --global=4 --local=4 in:u32[4]=74845286,1,9,6 out:u32[8] u32=50 | FileCheck %s --check-prefix=LONG
// RUN: env KILN_DEVICES=hip KILN_EMULATED_GPU=gfx942,gfx1100 KILN_HIP_LIBRARY=%kiln_build/lib/libkiln-hip-emulator.so kiln-run %s tangle --global=4 --local=4 in:u32[4]=74845286,1,9,6 out:u32[8] u32=1 | FileCheck %s --check-prefixes=SHORT,SHORT2
// RUN: env KILN_DEVICES=hip KILN_EMULATED_GPU=gfx942,gfx1100 KILN_HIP_LIBRARY=%kiln_build/lib/libkiln-hip-emulator.so kiln-run %s tangle --global=4 --local=4 in:u32[4]=74845286,1,9,6 out:u32[8] u32=50 | FileCheck %s --check-prefixes=LONG,LONG2
// SHORT: device 0, argument 1: 1122679296 74847285
// SHORT2: device 1, argument 1: 1122679296 74847285
// LONG: device 0, argument 1: 436814564 2208402708
// LONG2: device 1, argument 1: 436814564 2208402708
kernel void tangle(global const uint *in, global uint *out, uint limit) {
  size_t i = get_global_id(0);
  uint x = in[i], steps = 0, acc = 1;
  if (x & 1u)
    goto second;
  if (x % 3u == 0)
    goto third;
first:
  acc += x * 3u;
  x -= 1u;
  if (++steps > limit)
    goto done;
  if (x % 5u == 0)
    goto third;
second:
  acc ^= x << 2;
  x += acc & 3u;
  if (++steps > limit)
    goto done;
  if (acc & 4u)
    goto first;
  if (x % 7u != 0)
    goto second;
third:
  acc = acc * 5u + steps;
  for (uint k = 0; k < (acc & 3u); k++) {
    x ^= acc >> k;
    if (x % 11u == 0)
      goto second;
  }
  if (++steps <= limit)
    goto first;
done:
  out[2 * i] = acc;
  out[2 * i + 1] = x + steps * 1000u;
}

kernel void plain(global uint *out, uint n) {
  uint sum = 0;
  for (uint i = 0; i < n; i++)
    for (uint k = i; k < n; k++)
      sum = sum * 3 + (sum ^ k);
  out[get_global_id(0)] = sum;
}

// MEET: device 0, argument 0: 4544 12416 19424 20704 23104 20864 19552 22112 25472 18752
// MEET2: device 1, argument 0: 4544 12416 19424 20704 23104 20864 19552 22112 25472 18752
// All work-items reach the barriers of such a loop together.
// RUN: kiln-run %s meet --global=64 --local=64 inout:u32[64]=iota u32=6 | FileCheck %s --check-prefix=MEET
// RUN: env KILN_DEVICES=hip KILN_EMULATED_GPU=gfx942,gfx1100 KILN_HIP_LIBRARY=%kiln_build/lib/libkiln-hip-emulator.so kiln-run %s meet --global=64 --local=64 inout:u32[64]=iota u32=6 | FileCheck %s --check-prefixes=MEET,MEET2
kernel void meet(global uint *a, uint steps) {
  local uint shared[64];
  uint l = get_local_id(0), x = a[l];
  if (steps & 1u)
    goto odd;
even:
  shared[l] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  x = x * 3u + shared[(l + 1) % 64];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (steps-- == 0)
    goto end;
  if (steps % 3u == 0)
    goto even;
odd:
  shared[l] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  x ^= shared[(l + 7) % 64];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (steps-- != 0)
    goto even;
end:
  a[l] = x;
}
