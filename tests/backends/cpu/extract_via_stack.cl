// backends/cpu/codegen/ExtractViaStack: lanes for scalar instructions are loaded from the stack, stored in parts that every
// processor forwards.
// RUN: kiln-clc %s -o %t.spv
// RUN: kilnc --target=cpu:x86-64-v4 --emit=llvm --machine-width=16 --kernel=scattered --local-size=64,1,1 %t.spv -o - | FileCheck %s
// RUN: kilnc --target=cpu:x86-64-v4 --emit=llvm --machine-width=16 --kernel=counted --local-size=64,1,1 %t.spv -o - | FileCheck %s --check-prefix=COUNTED
// RUN: kiln-run %s scattered --global=64 --local=64 out:i32[64] in:i32[64]=7,36,1,30,59,24,53,18,47,12,41,6,35,0,29,58,23,52,17,46,11,40,5,34,63,28,57,22,51,16,45,10,39,4,33,62,27,56,21,50,15,44,9,38,3,32,61,26,55,20,49,14,43,8,37,2,31,60,25,54,19,48,13,42 | FileCheck %s --check-prefix=PLACES
// RUN: kilnc --target=cpu:x86-64-v4 --emit=llvm --machine-width=16 --kernel=picked --local-size=64,1,1 %t.spv -o - | FileCheck %s --check-prefix=BRANCH
// CHECK-LABEL: define void @scattered.group
// CHECK: store volatile <8 x i{{32|64}}>
// CHECK-NOT: extractelement
// PLACES: argument 0: 169 2704 729 4 1681 256 3025 900 25 1936 361 3364 1089 64 2209 484 3721 1296 121 2500 625 0 1521 196 2809 784 9 1764 289 3136 961 36 2025 400 3481 1156 81 2304 529 3844 1369 144 2601 676 1 1600 225 2916 841 16 1849 324 3249 1024 49 2116 441 3600 1225 100 2401 576 3969 1444
// COUNTED-LABEL: define void @counted.group
// COUNTED: extractelement <16 x i32>
kernel void scattered(global int *out, global const int *in) {
  int i = get_global_id(0), at = in[i] * 3 % 64;
  out[at] = i * i;
}

// Counters depend on each other: their lanes are extracted from the register.
kernel void counted(global int *counts, global const int *in) {
  int of = in[get_global_id(0)], at = (of * 3 % 64 * of + (of >> 3) * 7) % 64;
  counts[at] += at;
}

// A permute load extracts lanes in its fallback only: the vector is stored there.
// BRANCH-LABEL: define void @picked.group
// BRANCH: fptosi <16 x float>
// BRANCH-NOT: store volatile
// BRANCH: br i1
// BRANCH: store volatile <8 x i{{32|64}}>
kernel void picked(global int *out, global const int *in, float scale) {
  int i = get_global_id(0);
  out[i] = in[(int)((float)i * scale)];
}
