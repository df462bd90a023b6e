// backends/cpu/codegen/SubvectorShuffles: loads of halves of a just-stored vector become shuffles.
// RUN: kiln-clc %s -o %t.spv
// RUN: kilnc --target=cpu:x86-64-v4 --emit=llvm --machine-width=16 --kernel=reduce --local-size=32,1,1 %t.spv -o - | FileCheck %s
// RUN: kiln-run %s reduce --global=32 --local=32 out:i32[32] in:i32[32]=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31 | FileCheck %s --check-prefix=SUMS
// CHECK-LABEL: define void @reduce.group
// CHECK-NOT: {{i(128|256|512)}}
// CHECK: shufflevector <16 x i32> %{{.*}}, <16 x i32> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
// CHECK-NOT: {{i(128|256|512)}}
// SUMS: argument 0: 496
kernel void reduce(global int *out, global const int *in) {
  local int sums[32];
  int i = get_local_id(0);
  sums[i] = in[i];
  for (int width = 16; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < width)
      sums[i] += sums[i + width];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = sums[0];
}
