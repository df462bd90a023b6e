// What generic pointers point to, told from the pointer alone, wherever it has been kept.
// FEATURES: LANG-1.13.9 LANG-1.5.5a EXEC-3.3.1a

global int everywhere = 5;

// Bits 0 to 2: in global, local, private memory. Bit 3: the fence is that of local memory; bit 4: of global memory.
uint answers(int *p) {
  return (to_global(p) ? 1 : 0) | (to_local(p) ? 2 : 0) | (to_private(p) ? 4 : 0) |
         (get_fence(p) == CLK_LOCAL_MEM_FENCE ? 8 : 0) | (get_fence(p) == CLK_GLOBAL_MEM_FENCE ? 16 : 0);
}

// By run-time choice, so that no compiler can know.
// RUN: kiln-run %s chosen --options=-cl-std=CL3.0 --global=8 --local=4 out:u32[8] in:i32[8]=iota local=64 | FileCheck %s --check-prefix=CHOSEN
// RUN: kiln-run %s chosen --options=-cl-std=CL3.0 --global=6 --local=4 out:u32[8] in:i32[8]=iota local=64 | FileCheck %s --check-prefix=PART
// CHOSEN: argument 0: 17 10 10 20 17 17 10 10
// PART: argument 0: 17 10 10 20 17 17 0 0
kernel void chosen(global uint *out, global int *in, local int *given) {
  local int declared[3];
  int own[2] = {1, 2};
  int *choice[5];
  choice[0] = &in[3], choice[1] = &declared[2], choice[2] = given + 1, choice[3] = &own[1], choice[4] = &everywhere;
  size_t i = get_global_id(0);
  out[i] = answers(choice[in[i] % 5]);
}

// Kept in local and private memory over a barrier, in structs, read by another work-item: all but the private one.
// RUN: kiln-run %s kept --options=-cl-std=CL3.0 --global=8 --local=8 out:u32[8] inout:i32[8]=iota | FileCheck %s --check-prefix=KEPT
// KEPT: argument 0: 10 17 10 17 10 17 10 17
struct Holder { int number; int *pointer; };
kernel void kept(global uint *out, global int *in) {
  local struct Holder holders[8];
  local int there[8];
  size_t i = get_local_id(0);
  if (i % 2)
    holders[i].pointer = &there[i];
  else
    holders[i].pointer = &in[i];
  struct Holder copy[8];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int n = 0; n < 8; ++n)
    copy[n] = holders[n];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = answers(copy[(i + 1) % 8].pointer);
}

// An array that is too large for the stack, and a pointer past casts to integers.
// RUN: kiln-run %s large_array --options=-cl-std=CL3.0 --global=4 --local=2 out:u32[4] i32=7000 | FileCheck %s --check-prefix=LARGE
// LARGE: argument 0: 20 20 20 20
kernel void large_array(global uint *out, int n) {
  int large[8000];
  for (int k = 0; k < n; ++k)
    large[k] = k;
  uintptr_t bits = (uintptr_t)(int *)&large[n / 2];
  out[get_global_id(0)] = *(int *)bits == n / 2 ? answers((int *)bits) : 0;
}

// Null is nowhere; an explicit cast back is the pointer itself.
// RUN: kiln-run %s cast_back --options=-cl-std=CL3.0 --global=2 --local=2 out:u32[2] inout:i32[2]=4 i32=0 | FileCheck %s --check-prefix=BACK
// BACK: argument 0: 1 1
// BACK: argument 1: 12 12
kernel void cast_back(global uint *out, global int *data, int never) {
  local int shared[2];
  size_t i = get_local_id(0);
  int mine = 3;
  shared[i] = 5;
  int *any[3] = {&data[i], &shared[i], &mine};
  int *null = 0;
  if (never)
    null = &mine;
  *(global int *)any[never] += *(local int *)any[1 + never] + *(private int *)any[2 - never];
  out[i] = !to_global(null) && !to_local(null) && !to_private(null);
}
