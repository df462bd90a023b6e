// Address-space queries on generic pointers, also after the pointer was stored in memory.
// FEATURES: LANG-1.13.9 LANG-1.5.5a EXEC-3.3.1a

global int everywhere = 5;

// Bits 0 to 2: to_global, to_local, to_private is not null. Bits 3 and 4: get_fence returns the local, global fence.
uint spaces_of(int *p) {
  return (to_global(p) ? 1 : 0) | (to_local(p) ? 2 : 0) | (to_private(p) ? 4 : 0) |
         (get_fence(p) == CLK_LOCAL_MEM_FENCE ? 8 : 0) | (get_fence(p) == CLK_GLOBAL_MEM_FENCE ? 16 : 0);
}

// The pointer is selected at run time, so that the compiler cannot infer the address space.
// RUN: kiln-run %s selected --options=-cl-std=CL3.0 --global=8 --local=4 out:u32[8] in:i32[8]=iota local=64 | FileCheck %s --check-prefix=CHOSEN
// RUN: kiln-run %s selected --options=-cl-std=CL3.0 --global=6 --local=4 out:u32[8] in:i32[8]=iota local=64 | FileCheck %s --check-prefix=PART
// CHOSEN: argument 0: 17 10 10 20 17 17 10 10
// PART: argument 0: 17 10 10 20 17 17 0 0
kernel void selected(global uint *out, global int *in, local int *given) {
  local int declared[3];
  int own[2] = {1, 2};
  int *choice[5];
  choice[0] = &in[3], choice[1] = &declared[2], choice[2] = given + 1, choice[3] = &own[1], choice[4] = &everywhere;
  size_t i = get_global_id(0);
  out[i] = spaces_of(choice[in[i] % 5]);
}

// Pointers stored in structs in local and private memory, and read by another work-item after a barrier.
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
  out[i] = spaces_of(copy[(i + 1) % 8].pointer);
}

// A private array that is too large for the stack, and a pointer that was cast to an integer and back.
// RUN: kiln-run %s large_array --options=-cl-std=CL3.0 --global=4 --local=2 out:u32[4] i32=7000 | FileCheck %s --check-prefix=LARGE
// LARGE: argument 0: 20 20 20 20
kernel void large_array(global uint *out, int n) {
  int large[8000];
  for (int k = 0; k < n; ++k)
    large[k] = k;
  uintptr_t bits = (uintptr_t)(int *)&large[n / 2];
  out[get_global_id(0)] = *(int *)bits == n / 2 ? spaces_of((int *)bits) : 0;
}

// Null is in no address space. An explicit cast to the right address space gives the original pointer.
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

// Null pointers of all address spaces are equal, also to those that are selected at run time.
// RUN: kiln-run %s nulls --options=-cl-std=CL3.0 --global=4 --local=4 out:u32[4] in:i32[4]=iota local=64 | FileCheck %s --check-prefix=NULLS
// NULLS: argument 0: 63 40 40 40
struct Pair { int *any; local int *near; };
kernel void nulls(global uint *out, global int *in, local int *given) {
  size_t i = get_global_id(0);
  local int *near = in[i] ? given + in[i] - 1 : 0;
  int *any = 0, *cast = near;
  local struct Pair kept[4];
  kept[i].any = near;
  kept[i].near = near;
  barrier(CLK_LOCAL_MEM_FENCE);
  local int *back = (local int *)kept[i].any;
  out[i] = (cast == any) | (near == 0) << 1 | !kept[i].any << 2 | (back == near) << 3 | (kept[i].near == any) << 4 |
           (kept[i].any == near) << 5;
}
