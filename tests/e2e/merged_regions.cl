// passes/wg/MergeRegions: work-items read and overwrite their neighbours' values between barriers. In one direction the
// regions can be merged, in the other they cannot.
// FEATURES: EXEC-3.2.2b
// RUN: kiln-run %s shifts --global=24 --local=24 out:i32[24] i32=3 | FileCheck %s --check-prefix=UP
// UP: argument 0: 30 40 50 60 70 80 90 100 110 120 130 140 150 160 170 180 190 200 210 220 230 240 240 240
// RUN: kiln-run %s shifts --global=24 --local=24 out:i32[24] i32=-3 | FileCheck %s --check-prefix=DOWN
// DOWN: argument 0: 0 0 0 0 10 20 30 40 50 60 70 80 90 100 110 120 130 140 150 160 170 180 190 200
kernel __attribute__((reqd_work_group_size(24, 1, 1))) void shifts(global int *out, int by) {
  local int numbers[25];
  int id = get_local_id(0);
  numbers[id] = 10 * id;
  numbers[24] = 240;
  for (int round = 0; round < by; ++round) {
    barrier(CLK_LOCAL_MEM_FENCE);
    int next = numbers[id + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    numbers[id] = next;
  }
  for (int round = 0; round > by; --round) {
    barrier(CLK_LOCAL_MEM_FENCE);
    int mine = numbers[id];
    barrier(CLK_LOCAL_MEM_FENCE);
    numbers[id + 1] = mine;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[id] = numbers[id];
}

// Fewer work-items are active in each iteration.
// RUN: kiln-run %s fewer --global=20 --local=20 inout:i32[20]=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20 | FileCheck %s --check-prefix=FEWER
// FEWER: argument 0: 256 320 384 448 512 576 640 704 768 832 896 960 1024 1088 560 288 148 76 39 20
kernel __attribute__((reqd_work_group_size(20, 1, 1))) void fewer(global int *values) {
  int id = get_local_id(0);
  for (int last = 18; last > 12; --last) {
    int sum = 0;
    if (id <= last)
      sum = values[id] + values[id + 1];
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (id <= last)
      values[id] = sum;
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}
