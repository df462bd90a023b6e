// KILN_CHECK=barriers on GPUs reports what it does on the CPU (tests/e2e/check_barriers.cl), and no kernel hangs.

// DEFINE: %{on} = env KILN_CHECK=barriers KILN_DEVICES=hip KILN_HIP_LIBRARY=%kiln_lib/libkiln-hip-emulator.so KILN_EMULATED_GPU
// DEFINE: %{wide} = %{on}=gfx942 kiln-run
// DEFINE: %{narrow} = %{on}=gfx1100 kiln-run

// RUN: %{wide} %s branch --global=64 --local=32 out:u32[64] u32=10 2>&1 | FileCheck %s --check-prefix=BRANCH
// RUN: %{narrow} %s branch --global=64 --local=32 out:u32[64] u32=10 2>&1 | FileCheck %s --check-prefix=BRANCH
// BRANCH: check: kernel branch has a barrier that other work-items of the group reach, and this one does not
// BRANCH-NEXT: line [[# @LINE + 10]]: barrier(CLK_LOCAL_MEM_FENCE);
// BRANCH-NEXT: work-item (10), local id (10) in work-group (0)
// BRANCH-NOT: check: kernel
// BRANCH: check: 1 findings, which occurred 22 times
// BRANCH: argument 0: 1 1 1 1 1 1 1 1 1 1 0 0

kernel void branch(global uint *out, uint n) {
  local uint tile[32];
  if (get_global_id(0) < n) {
    tile[get_local_id(0)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[get_local_id(0)];
  }
}

// All work-items of a group take the same side.
// RUN: %{wide} %s branch --global=64 --local=32 out:u32[64] u32=32 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: %{narrow} %s branch --global=64 --local=32 out:u32[64] u32=64 2>&1 | FileCheck %s --check-prefix=SAME
// SAME-NOT: check:
// SAME: argument 0: 1 1

// Groups of several waves, of which whole ones have returned.
// RUN: %{wide} %s returns --global=320,2 --local=160,1 out:u32[640] u32=70 2>&1 | FileCheck %s --check-prefix=RETURNS
// RUN: %{narrow} %s returns --global=320,2 --local=160,1 out:u32[640] u32=70 2>&1 | FileCheck %s --check-prefix=RETURNS
// RETURNS: check: kernel returns has a barrier
// RETURNS-NEXT: line [[# @LINE + 9]]: barrier(CLK_LOCAL_MEM_FENCE);
// RETURNS-NEXT: work-item (70, {{[01]}}), local id (70, 0) in work-group (0, {{[01]}})
// RETURNS-NOT: check: kernel
// RETURNS: check: 1 findings, which occurred 180 times
kernel void returns(global uint *out, uint n) {
  local uint tile[160];
  if (get_global_id(0) >= n)
    return;
  tile[get_local_id(0)] = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0) + 320 * get_global_id(1)] = tile[0];
}

// A loop with another number of iterations in each work-item.
// RUN: %{wide} %s loop --global=8 --local=8 out:u32[8] 2>&1 | FileCheck %s --check-prefix=LOOP
// RUN: %{narrow} %s loop --global=8 --local=8 out:u32[8] 2>&1 | FileCheck %s --check-prefix=LOOP
// LOOP: check: kernel loop has a barrier
// LOOP-NEXT: line [[# @LINE + 8]]: barrier(CLK_LOCAL_MEM_FENCE);
// LOOP-NEXT: work-item (0), local id (0) in work-group (0)
// LOOP-NOT: check: kernel
// LOOP: check: 1 findings, which occurred 4 times
// LOOP: argument 0: 0 0 0 0 1 1 1 1{{$}}
kernel void loop(global uint *out) {
  size_t x = get_global_id(0);
  for (uint i = 0; i < 1 + x / 4; ++i) {
    barrier(CLK_LOCAL_MEM_FENCE);
    out[x] += i;
  }
}

// Each side has a barrier of its own, in one wave and in two.
// RUN: %{wide} %s different --global=16 --local=16 out:u32[16] u32=1 2>&1 | FileCheck %s --check-prefix=DIFFERENT
// RUN: %{narrow} %s different --global=16 --local=16 out:u32[16] u32=1 2>&1 | FileCheck %s --check-prefix=DIFFERENT
// DIFFERENT: line [[# @LINE + 11]]: barrier(CLK_LOCAL_MEM_FENCE);
// DIFFERENT-NEXT: work-item (1), local id (1)
// DIFFERENT: line [[# @LINE + 12]]: barrier(CLK_GLOBAL_MEM_FENCE);
// DIFFERENT-NEXT: work-item (0), local id (0)
// RUN: %{wide} %s different --global=128 --local=128 out:u32[128] u32=64 2>&1 | FileCheck %s --check-prefix=WAVES
// RUN: %{narrow} %s different --global=128 --local=128 out:u32[128] u32=64 2>&1 | FileCheck %s --check-prefix=WAVES
// WAVES: work-item (64), local id (64)
// WAVES: work-item (0), local id (0)
// WAVES: check: 2 findings, which occurred 128 times
kernel void different(global uint *out, uint run) {
  if (get_global_id(0) / run % 2 == 0) {
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = 1;
  } else {
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = 2;
  }
}

// Both checks together.
// RUN: env KILN_CHECK=memory,barriers KILN_DEVICES=hip KILN_HIP_LIBRARY=%kiln_lib/libkiln-hip-emulator.so KILN_EMULATED_GPU=gfx942 kiln-run %s clean --global=200 --local=100 out:u32[200] 2>&1 | FileCheck %s --check-prefix=CLEAN
// RUN: env KILN_CHECK=memory,barriers KILN_DEVICES=hip KILN_HIP_LIBRARY=%kiln_lib/libkiln-hip-emulator.so KILN_EMULATED_GPU=gfx1100 kiln-run %s clean --global=200 --local=100 out:u32[200] 2>&1 | FileCheck %s --check-prefix=CLEAN
// CLEAN-NOT: check:
// CLEAN: argument 0: 5050 5051 5052
kernel void __attribute__((reqd_work_group_size(100, 1, 1))) clean(global uint *out) {
  local uint parts[100];
  uint l = get_local_id(0);
  parts[l] = l + 1;
  for (uint step = 1; step < 100; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    uint other = l + step < 100 ? parts[l + step] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    parts[l] += other;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = parts[0] + l;
}

// Collectives have barriers. What the present work-items get is undefined, so the emulator must not look at it.
// RUN: %{on}=gfx942 kiln-run --options=-cl-std=CL3.0 %s collective --global=128 --local=128 out:u32[128] u32=128 2>&1 | FileCheck %s --check-prefix=COLLECTIVE
// RUN: %{on}=gfx1100 kiln-run --options=-cl-std=CL3.0 %s collective --global=128 --local=128 out:u32[128] u32=128 2>&1 | FileCheck %s --check-prefix=COLLECTIVE
// COLLECTIVE-NOT: check:
// COLLECTIVE: argument 0: 8128 8128
// RUN: %{on}=gfx942 KILN_EMULATOR_CHECKS=off kiln-run --options=-cl-std=CL3.0 %s collective --global=128 --local=128 out:u32[128] u32=70 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: %{on}=gfx1100 KILN_EMULATOR_CHECKS=off kiln-run --options=-cl-std=CL3.0 %s collective --global=128 --local=128 out:u32[128] u32=70 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: check: kernel collective has a barrier
// MISSING-NEXT: line [[# @LINE + 6]]: out[get_global_id(0)] = work_group_reduce_add(l);
// MISSING-NEXT: work-item (70), local id (70)
#if __OPENCL_C_VERSION__ >= 200
kernel void collective(global uint *out, uint n) {
  uint l = get_local_id(0);
  if (l < n)
    out[get_global_id(0)] = work_group_reduce_add(l);
}
#endif

// RUN: kilnc --target=nvptx:sm_90 --check-barriers --emit=asm %s -o - | FileCheck %s --check-prefix=PTX
// PTX-LABEL: .entry branch
// PTX: ocl_start_arrivals
// PTX: ocl_check_barrier
// PTX-NOT: bar.sync
// PTX-LABEL: .func __kiln_ocl_check_barrier(
// PTX: barrier.sync
