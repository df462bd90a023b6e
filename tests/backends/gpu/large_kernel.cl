// A kernel that is too large for LLVM's full pipeline does not change the code of the others in its module: their
// private arrays become registers.

// RUN: kiln-clc %s -o %t.spv
// RUN: kilnc --target=nvptx:sm_90 --emit=asm %t.spv -o - | FileCheck %s --check-prefix=PTX
// PTX-LABEL: .entry large(
// PTX: .local
// PTX-LABEL: .entry small(
// PTX-NOT: .local
// PTX: ret;

// The attributes that exclude a large kernel from the pipeline are gone afterwards.
// RUN: kilnc --target=nvptx:sm_90 --emit=llvm %t.spv -o - | FileCheck %s --check-prefix=LLVM
// LLVM-LABEL: define ptx_kernel void @large(
// LLVM-NOT: optnone
// LLVM-NOT: noinline

#define STEP a = (a ^ a >> 7) * 3u + b; b = (b ^ b >> 5) * 7u + a;
#define STEPS4 STEP STEP STEP STEP
#define STEPS16 STEPS4 STEPS4 STEPS4 STEPS4
#define STEPS64 STEPS16 STEPS16 STEPS16 STEPS16
#define STEPS256 STEPS64 STEPS64 STEPS64 STEPS64
#define STEPS1024 STEPS256 STEPS256 STEPS256 STEPS256

#define REVERSE                                                                                                        \
  uint x[16];                                                                                                          \
  for (int i = 0; i < 16; ++i)                                                                                         \
    x[i] = from[item * 16 + i];                                                                                        \
  for (int i = 0; i < 16; ++i)                                                                                         \
    to[item * 16 + i] = x[15 - i];

kernel void large(global const uint *from, global uint *to) {
  uint item = get_global_id(0), a = item, b = from[item];
  STEPS1024
  STEPS1024
  item += a & b & 1;
  REVERSE
}

kernel void small(global const uint *from, global uint *to) {
  uint item = get_global_id(0);
  REVERSE
}
