// KILN_CHECK=memory on GPUs reports collectives that name work-items which their group does not have, as on the CPU
// (tests/e2e/check_collectives.cl). Sub-groups have 64 work-items on gfx942 and 32 on gfx1100.

// DEFINE: %{on} = env KILN_CHECK=memory KILN_DEVICES=hip KILN_HIP_LIBRARY=%kiln_lib/libkiln-hip-emulator.so KILN_EMULATED_GPU
// DEFINE: %{wide} = %{on}=gfx942 kiln-run --options=-cl-std=CL3.0
// DEFINE: %{narrow} = %{on}=gfx1100 kiln-run --options=-cl-std=CL3.0

// RUN: %{narrow} %s butterfly --global=64 --local=64 inout:u32[64]=1 2>&1 | FileCheck %s --check-prefix=BUTTERFLY
// BUTTERFLY: check: kernel butterfly reads the value of work-item 32 in a sub-group of 32 work-items
// BUTTERFLY-NEXT: line [[# @LINE + 13]]: sum += sub_group_shuffle_xor(sum, step);
// BUTTERFLY-NEXT: work-item ({{0|32}}), local id ({{0|32}}) in work-group (0)
// BUTTERFLY-NEXT: hint: the kernel requires no sub-group size
// BUTTERFLY-NOT: check: kernel
// BUTTERFLY: check: 1 findings, which occurred 64 times; 0 suppressed
// RUN: %{wide} %s butterfly --global=64 --local=64 inout:u32[64]=1 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE-NOT: check:
// WHOLE: argument 0: 64 64 64
#if __OPENCL_C_VERSION__ >= 200
kernel void butterfly(global uint *to) {
  size_t i = get_global_id(0);
  uint sum = to[i];
  for (uint step = 32; step; step /= 2)
    sum += sub_group_shuffle_xor(sum, step);
  to[i] = sum;
}
#endif

// A group of 40 work-items.
// RUN: %{narrow} %s index --global=40 --local=40 out:u32[40] in:u32[40]=0 u32=8 2>&1 | FileCheck %s --check-prefix=INDEX8
// INDEX8: check: kernel index reads the value of work-item 8 in a sub-group of 8 work-items
// INDEX8-NEXT: line [[# @LINE + 12]]: to[i] = sub_group_shuffle((uint)i, at[i] + n);
// INDEX8-NEXT: work-item (32), local id (32) in work-group (0)
// INDEX8: check: 1 findings, which occurred 8 times
// RUN: %{wide} %s index --global=40 --local=40 out:u32[40] in:u32[40]=0 u32=40 2>&1 | FileCheck %s --check-prefix=INDEX40
// INDEX40: check: kernel index reads the value of work-item 40 in a sub-group of 40 work-items
// INDEX40: check: 1 findings, which occurred 40 times
// RUN: %{wide} %s index --global=40 --local=40 out:u32[40] in:u32[40]=0 u32=39 2>&1 | FileCheck %s --check-prefix=INDEX39
// INDEX39-NOT: check:
// INDEX39: argument 0: 39 39 39
#if __OPENCL_C_VERSION__ >= 200
kernel void index(global uint *to, global const uint *at, uint n) {
  size_t i = get_global_id(0);
  to[i] = sub_group_shuffle((uint)i, at[i] + n);
}
#endif

// RUN: %{wide} %s scan --global=64 --local=64 out:u32[64] u32=64 2>&1 | FileCheck %s --check-prefix=SCAN
// SCAN-NOT: check:
// SCAN: argument 0: 1 2 3 4
// RUN: %{narrow} %s scan --global=64 --local=64 out:u32[64] u32=64 2>&1 | FileCheck %s --check-prefix=DISTANCE
// DISTANCE: check: kernel scan shuffles over a distance of 32 in sub-groups of 32 work-items
// DISTANCE-NEXT: line [[# @LINE + 7]]: uint before = sub_group_shuffle_up(sum, step);
// DISTANCE: check: 1 findings, which occurred 64 times
#if __OPENCL_C_VERSION__ >= 200
kernel void scan(global uint *to, uint end) {
  uint sum = 1;
  for (uint step = 1; step < end; step *= 2) {
    uint own = get_sub_group_local_id();
    uint before = sub_group_shuffle_up(sum, step);
    if (own >= step)
      sum += before;
  }
  to[get_global_id(0)] = sum;
}
#endif

// The emulator would end the launch because of the value that the work-group has not written.
// RUN: %{on}=gfx1100 KILN_EMULATOR_CHECKS=off kiln-run --options=-cl-std=CL3.0 %s broadcasts --global=64 --local=64 out:u32[64] u32=32 2>&1 | FileCheck %s --check-prefix=BROADCASTS
// BROADCASTS: check: kernel broadcasts reads the value of work-item 32 in a sub-group of 32 work-items
// BROADCASTS: check: kernel broadcasts reads the value of the work-item with the linear local id 64 in a work-group of 64 work-items
// BROADCASTS: check: kernel broadcasts reduces over clusters of 64 in sub-groups of 32 work-items
// BROADCASTS: check: 3 findings, which occurred 192 times
#if __OPENCL_C_VERSION__ >= 200
kernel void broadcasts(global uint *to, uint at) {
  size_t i = get_global_id(0);
  to[i] = sub_group_broadcast((uint)i, at);
  to[i] += work_group_broadcast((uint)i, 2 * at);
  to[i] += sub_group_clustered_reduce_add((uint)i, 64);
}
#endif

// A group that is larger than its local array.
// RUN: %{wide} %s large_group --global=32 --local=32 out:u32[32] 2>&1 | FileCheck %s --check-prefix=LARGE-GROUP
// RUN: %{narrow} %s large_group --global=32 --local=32 out:u32[32] 2>&1 | FileCheck %s --check-prefix=LARGE-GROUP
// LARGE-GROUP: check: kernel large_group writes 4 bytes outside of a local variable ({{.*}}tile), which has 64 bytes: right after its end
// LARGE-GROUP-NEXT: line [[# @LINE + 6]]: tile[l] = l;
// LARGE-GROUP-NEXT: work-item (16), local id (16) in work-group (0)
// LARGE-GROUP: check: 2 findings, which occurred 32 times
kernel void large_group(global uint *to) {
  local uint tile[16];
  uint l = get_local_id(0);
  tile[l] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  to[l] = tile[31 - l];
}

// RUN: kiln-clc -cl-std=CL3.0 %s -o %t.spv
// RUN: kilnc --target=nvptx:sm_90 --check-memory --emit=asm %t.spv -o - | FileCheck %s --check-prefix=PTX
// PTX-LABEL: .entry butterfly
// PTX: ocl_report_finding
// PTX: shfl.sync
// PTX-LABEL: .func {{.*}}ocl_report_finding(
