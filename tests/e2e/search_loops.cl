// Loops that work-items leave by `break` at different times (passes/simd/prepare/PoisonChoices).
// FEATURES: EXEC-3.2.2b

// RUN: kiln-run %s first_at_least --global=48 out:i32[40] in:i32[29]=0,3,12,27,48,75,75,75,95,95,95,95,95,95,95,95,95,95,95,95,95,95,95,95,95,95,95,95,95 in:i32[40]=0,13,26,39,52,65,78,91,3,16,29,42,55,68,81,94,6,19,32,45,58,71,84,97,9,22,35,48,61,74,87,100,12,25,38,51,64,77,90,2 i32=29 i32=40 | FileCheck %s --check-prefix=FIRST
// RUN: env KILN_CPU_MACHINE_WIDTH=1 kiln-run %s first_at_least --global=48 out:i32[40] in:i32[29]=0,3,12,27,48,75,75,75,95,95,95,95,95,95,95,95,95,95,95,95,95,95,95,95,95,95,95,95,95 in:i32[40]=0,13,26,39,52,65,78,91,3,16,29,42,55,68,81,94,6,19,32,45,58,71,84,97,9,22,35,48,61,74,87,100,12,25,38,51,64,77,90,2 i32=29 i32=40 | FileCheck %s --check-prefix=FIRST
// FIRST: argument 0: 0 27003 27003 48004 75005 75005 95008 95008 3001 27003 48004 48004 75005 75005 95008 95008 12002 27003 48004 48004 75005 75005 95008 95028 12002 27003 48004 48004 75005 75005 95008 95028 12002 27003 48004 75005 75005 95008 95008 3001{{$}}
kernel void first_at_least(global int *to, global const int *table, global const int *wanted, int size, int n) {
  const int i = get_global_id(0);
  if (i < n) {
    int index = -1;
    for (int x = 0; x < size; x++)
      if (table[x] >= wanted[i]) {
        index = x;
        break;
      }
    if (index == -1)
      index = size - 1;
    to[i] = table[index] * 1000 + index;
  }
}

// RUN: kiln-run %s equal --global=40 inout:i32[40]=7 in:i32[29]=0,3,12,27,48,75,11,50,95,49,9,72,44,22,6,93,89,91,2,16,36,62,94,35,79,32,88,53,24 in:i32[40]=0,13,26,39,52,65,78,91,3,16,29,42,55,68,81,94,6,19,32,45,58,71,84,97,9,22,35,48,61,74,87,100,12,25,38,51,64,77,90,2 i32=29 | FileCheck %s --check-prefix=EQUAL
// RUN: env KILN_CPU_MACHINE_WIDTH=1 kiln-run %s equal --global=40 inout:i32[40]=7 in:i32[29]=0,3,12,27,48,75,11,50,95,49,9,72,44,22,6,93,89,91,2,16,36,62,94,35,79,32,88,53,24 in:i32[40]=0,13,26,39,52,65,78,91,3,16,29,42,55,68,81,94,6,19,32,45,58,71,84,97,9,22,35,48,61,74,87,100,12,25,38,51,64,77,90,2 i32=29 | FileCheck %s --check-prefix=EQUAL
// EQUAL: argument 0: 0 7 7 7 7 7 7 17 1 19 7 7 7 7 7 22 14 7 25 7 7 7 7 7 10 13 23 4 7 7 7 7 2 7 7 7 7 7 7 18{{$}}
kernel void equal(global int *to, global const int *table, global const int *wanted, int size) {
  const int i = get_global_id(0);
  for (int x = 0; x < size; x++)
    if (table[x] == wanted[i]) {
      to[i] = x;
      break;
    }
}
