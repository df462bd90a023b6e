// KILN_CHECK=barriers reports work-items that do not reach a barrier which others of their group reach.

// DEFINE: %{check} = env KILN_CHECK=barriers KILN_CPU_THREADS=1 kiln-run
// DEFINE: %{scalar} = env KILN_CHECK=barriers KILN_CPU_THREADS=1 KILN_CPU_MACHINE_WIDTH=1 kiln-run

// RUN: %{check} %s branch --global=64 --local=32 out:u32[64] u32=10 2>&1 | FileCheck %s --check-prefix=BRANCH
// RUN: %{scalar} %s branch --global=64 --local=32 out:u32[64] u32=10 2>&1 | FileCheck %s --check-prefix=BRANCH
// BRANCH: check: kernel branch has a barrier that other work-items of the group reach, and this one does not
// BRANCH-NEXT: line [[# @LINE + 8]]: barrier(CLK_LOCAL_MEM_FENCE);
// BRANCH-NEXT: work-item (10), local id (10) in work-group (0)
// BRANCH-NOT: check: kernel
// BRANCH: check: 1 findings, which occurred 22 times
kernel void branch(global uint *out, uint n) {
  local uint tile[32];
  if (get_global_id(0) < n) {
    tile[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[n - 1 - get_local_id(0)];
  }
}

// All work-items of a group take the same side.
// RUN: %{check} %s branch --global=64 --local=32 out:u32[64] u32=32 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: %{check} %s branch --global=64 --local=32 out:u32[64] u32=64 2>&1 | FileCheck %s --check-prefix=SAME
// SAME-NOT: check:

// RUN: %{check} %s returns --global=40 --local=8 out:u32[40] u32=37 2>&1 | FileCheck %s --check-prefix=RETURNS
// RETURNS: check: kernel returns has a barrier
// RETURNS-NEXT: line [[# @LINE + 8]]: barrier(CLK_LOCAL_MEM_FENCE);
// RETURNS-NEXT: work-item (37), local id (5) in work-group (4)
// RETURNS-NOT: check: kernel
kernel void returns(global uint *out, uint n) {
  local uint tile[8];
  if (get_global_id(0) >= n)
    return;
  tile[get_local_id(0)] = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tile[0];
}

// A loop with another number of iterations in each work-item.
// RUN: %{check} %s loop --global=8,2 --local=8,1 out:u32[16] 2>&1 | FileCheck %s --check-prefix=LOOP
// LOOP: check: kernel loop has a barrier
// LOOP-NEXT: line [[# @LINE + 6]]: barrier(CLK_LOCAL_MEM_FENCE);
// LOOP-NEXT: work-item (0, 0), local id (0, 0) in work-group (0, 0)
// LOOP-NOT: check: kernel
kernel void loop(global uint *out) {
  size_t x = get_global_id(0);
  for (uint i = 0; i < 1 + x / 4; ++i) {
    barrier(CLK_LOCAL_MEM_FENCE);
    out[8 * get_global_id(1) + x] += i;
  }
}

// Each side has a barrier of its own.
// RUN: %{check} %s different --global=16 --local=16 out:u32[16] 2>&1 | FileCheck %s --check-prefix=DIFFERENT
// DIFFERENT: line [[# @LINE + 6]]: barrier(CLK_LOCAL_MEM_FENCE);
// DIFFERENT-NEXT: work-item (1), local id (1)
// DIFFERENT: line [[# @LINE + 7]]: barrier(CLK_GLOBAL_MEM_FENCE);
// DIFFERENT-NEXT: work-item (0), local id (0)
kernel void different(global uint *out) {
  if (get_global_id(0) % 2 == 0) {
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = 1;
  } else {
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = 2;
  }
}

// The loop varies, but only its first iteration has a barrier: all work-items reach it. Both checks together.
// RUN: env KILN_CHECK=memory,barriers kiln-run %s first --global=16 --local=16 out:u32[16] 2>&1 | FileCheck %s --check-prefix=FIRST
// FIRST-NOT: check:
// FIRST: argument 0: 1 2 3 4
kernel void first(global uint *out) {
  for (uint i = 0; i <= get_global_id(0); ++i) {
    if (i == 0)
      barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] += 1;
  }
}
