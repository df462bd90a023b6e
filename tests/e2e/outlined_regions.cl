// Kernels with many barriers and collectives, whose regions the CPU's compiler outlines to functions. The functions must
// receive values, masks, private arrays and local ids. Groups of 2 x 2.
// FEATURES: EXEC-3.2.2b

#define TEN(M, n) M(n##0) M(n##1) M(n##2) M(n##3) M(n##4) M(n##5) M(n##6) M(n##7) M(n##8) M(n##9)

// RUN: env KILN_DEVICES=cpu kiln-run %s rounds --global=4,2 --local=2,2 --options=-cl-std=CL3.0 out:u32[8] | FileCheck %s --check-prefix=ROUNDS
// ROUNDS: argument 0: 19842786 19843241 21882422 21882877 19841840 19843177 21881476 21882813
#define ROUND(n)                                                                                                       \
  {                                                                                                                    \
    const uint round = 1##n - 100;                                                                                     \
    shared[l] = x;                                                                                                     \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    x = (x + shared[(l + 1) & 3] + round) & 255;                                                                       \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    sum += work_group_reduce_add(x & 7) + work_group_reduce_max(x);                                                    \
    kept[(round + l) & 3] += x;                                                                                        \
  }
kernel void rounds(global uint *out) {
  local uint shared[4];
  const uint gx = get_global_id(0), gy = get_global_id(1), l = get_local_id(1) * 2 + get_local_id(0);
  uint x = gx * 3 + gy * 5 + 1, sum = 0, kept[4] = {0, 0, 0, 0};
  TEN(ROUND, 0) ROUND(10) ROUND(11)
  out[gy * 4 + gx] = sum * 10000 + x + kept[l] * 7;
}

// Each work-item may return before a barrier; the others continue without it.
// RUN: env KILN_DEVICES=cpu kiln-run %s some_leave --global=8 --local=8 --options=-cl-std=CL3.0 out:u32[8] in:u32[8]=3,100,0,5,100,11,1,100 | FileCheck %s --check-prefix=LEAVE
// LEAVE: argument 0: 3 12 0 5 12 11 1 12
#define WAIT(n)                                                                                                        \
  if (x == 1##n - 100)                                                                                                 \
    return;                                                                                                            \
  barrier(CLK_LOCAL_MEM_FENCE);                                                                                        \
  out[l] = 1##n - 99;
kernel void some_leave(global uint *out, global const uint *in) {
  const uint l = get_local_id(0), x = in[l];
  out[l] = 0;
  TEN(WAIT, 0) WAIT(10) WAIT(11)
}
