// KILN_CHECK=memory reports collectives that name work-items which their sub-group or work-group does not have, in vector
// and in scalar code. A sub-group on the CPU has 16 work-items, if the kernel does not require another size.

// DEFINE: %{check} = env KILN_CHECK=memory KILN_CPU_THREADS=1 kiln-run --options=-cl-std=CL3.0
// DEFINE: %{scalar} = env KILN_CHECK=memory KILN_CPU_THREADS=1 KILN_CPU_MACHINE_WIDTH=1 kiln-run --options=-cl-std=CL3.0

// A sum over 32 work-items.
// RUN: %{check} %s butterfly --global=64 --local=32 inout:u32[64]=1 2>&1 | FileCheck %s --check-prefix=BUTTERFLY
// RUN: %{scalar} %s butterfly --global=64 --local=32 inout:u32[64]=1 2>&1 | FileCheck %s --check-prefix=BUTTERFLY
// BUTTERFLY: check: kernel butterfly reads the value of work-item 16 in a sub-group of 16 work-items
// BUTTERFLY-NEXT: line [[# @LINE + 9]]: sum += sub_group_shuffle_xor(sum, 16);
// BUTTERFLY-NEXT: work-item (0), local id (0) in work-group (0)
// BUTTERFLY-NEXT: hint: the kernel requires no sub-group size: __attribute__((intel_reqd_sub_group_size(n))) does
// BUTTERFLY-NOT: check: kernel
// BUTTERFLY: check: 1 findings, which occurred 64 times; 0 suppressed
#if __OPENCL_C_VERSION__ >= 200
kernel void butterfly(global uint *to) {
  size_t i = get_global_id(0);
  uint sum = to[i];
  sum += sub_group_shuffle_xor(sum, 16);
  for (uint step = 8; step; step /= 2)
    sum += sub_group_shuffle_xor(sum, step);
  to[i] = sum;
}
#endif

// The same with that size.
// RUN: %{check} %s required --global=64 --local=32 inout:u32[64]=1 2>&1 | FileCheck %s --check-prefix=REQUIRED
// REQUIRED-NOT: check:
// REQUIRED: argument 0: 32 32 32
#if __OPENCL_C_VERSION__ >= 200
__attribute__((intel_reqd_sub_group_size(32))) kernel void required(global uint *to) {
  size_t i = get_global_id(0);
  uint sum = to[i];
  for (uint step = 16; step; step /= 2)
    sum += sub_group_shuffle_xor(sum, step);
  to[i] = sum;
}
#endif

// A group of 24 work-items: its second sub-group has 8. The kernel requires the size, so there is no hint.
// RUN: %{check} %s partial --global=24 --local=24 inout:u32[24]=1 2>&1 | FileCheck %s --check-prefix=PARTIAL
// RUN: %{scalar} %s partial --global=24 --local=24 inout:u32[24]=1 2>&1 | FileCheck %s --check-prefix=PARTIAL
// PARTIAL: check: kernel partial reads the value of work-item 8 in a sub-group of 8 work-items
// PARTIAL-NEXT: line [[# @LINE + 6]]: to[get_global_id(0)] = sub_group_shuffle_xor(to[get_global_id(0)], 8);
// PARTIAL-NEXT: work-item (16), local id (16) in work-group (0)
// PARTIAL-NOT: hint
// PARTIAL: check: 1 findings, which occurred 8 times
#if __OPENCL_C_VERSION__ >= 200
__attribute__((intel_reqd_sub_group_size(16))) kernel void partial(global uint *to) {
  to[get_global_id(0)] = sub_group_shuffle_xor(to[get_global_id(0)], 8);
}
#endif

// Indices that are computed, from memory.
// RUN: %{check} %s index --global=32 --local=32 out:u32[32] in:u32[32]=3,15,16,0 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: %{scalar} %s index --global=32 --local=32 out:u32[32] in:u32[32]=3,15,16,0 2>&1 | FileCheck %s --check-prefix=INDEX
// INDEX: check: kernel index reads the value of work-item 16 in a sub-group of 16 work-items
// INDEX-NEXT: line [[# @LINE + 6]]: to[i] = sub_group_shuffle((uint)i, at[i]);
// INDEX-NEXT: work-item (2), local id (2) in work-group (0)
// INDEX: check: 1 findings, which occurred 8 times
#if __OPENCL_C_VERSION__ >= 200
kernel void index(global uint *to, global const uint *at) {
  size_t i = get_global_id(0);
  to[i] = sub_group_shuffle((uint)i, at[i]);
}
#endif

// Distances are compared with the size: work-items at the ends of a sub-group get values that they do not use.
// RUN: %{check} %s scan --global=64 --local=64 out:u32[64] u32=16 2>&1 | FileCheck %s --check-prefix=SCAN
// RUN: %{check} %s scan --global=40 --local=40 out:u32[64] u32=16 2>&1 | FileCheck %s --check-prefix=SCAN
// SCAN-NOT: check:
// SCAN: argument 0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 1 2 3
// RUN: %{check} %s scan --global=64 --local=64 out:u32[64] u32=32 2>&1 | FileCheck %s --check-prefix=DISTANCE
// RUN: %{scalar} %s scan --global=64 --local=64 out:u32[64] u32=32 2>&1 | FileCheck %s --check-prefix=DISTANCE
// DISTANCE: check: kernel scan shuffles over a distance of 16 in sub-groups of 16 work-items
// DISTANCE-NEXT: line [[# @LINE + 8]]: uint before = sub_group_shuffle_up(sum, step);
// DISTANCE-NEXT: work-item (0), local id (0) in work-group (0)
// DISTANCE-NEXT: hint: the kernel requires no sub-group size
// DISTANCE: check: 1 findings, which occurred 64 times
#if __OPENCL_C_VERSION__ >= 200
kernel void scan(global uint *to, uint end) {
  uint sum = 1;
  for (uint step = 1; step < end; step *= 2) {
    uint before = sub_group_shuffle_up(sum, step);
    if (get_sub_group_local_id() >= step)
      sum += before;
  }
  to[get_global_id(0)] = sum;
}
#endif

// RUN: %{check} %s neighbours --global=32 --local=32 out:u32[32] 2>&1 | FileCheck %s --check-prefix=NEIGHBOURS
// NEIGHBOURS-NOT: check:
// NEIGHBOURS: argument 0: 1 2 3
#if __OPENCL_C_VERSION__ >= 200
kernel void neighbours(global uint *to) {
  uint own = get_sub_group_local_id();
  uint next = sub_group_shuffle(own, own + 1), after = sub_group_shuffle_down(own, 2), turned = sub_group_rotate(own, 7);
  to[get_global_id(0)] = own + 2 < get_sub_group_size() ? after - 1 + 0 * (next + turned) : sub_group_broadcast(own, 3);
}
#endif

// RUN: %{check} %s broadcasts --global=64 --local=32 out:u32[64] u32=20 2>&1 | FileCheck %s --check-prefix=BROADCASTS
// RUN: %{scalar} %s broadcasts --global=64 --local=32 out:u32[64] u32=20 2>&1 | FileCheck %s --check-prefix=BROADCASTS
// BROADCASTS: check: kernel broadcasts reads the value of work-item 20 in a sub-group of 16 work-items
// BROADCASTS-NEXT: line [[# @LINE + 10]]: to[i] = sub_group_broadcast((uint)i, at);
// BROADCASTS: check: kernel broadcasts reads the value of the work-item with the linear local id 40 in a work-group of 32 work-items
// BROADCASTS-NEXT: line [[# @LINE + 9]]: to[i] += work_group_broadcast((uint)i, 2 * at);
// BROADCASTS-NOT: hint
// BROADCASTS: check: kernel broadcasts reduces over clusters of 32 in sub-groups of 16 work-items
// BROADCASTS-NEXT: line [[# @LINE + 7]]: to[i] += sub_group_clustered_reduce_add((uint)i, 32);
// BROADCASTS: check: 3 findings, which occurred 192 times
#if __OPENCL_C_VERSION__ >= 200
kernel void broadcasts(global uint *to, uint at) {
  size_t i = get_global_id(0);
  to[i] = sub_group_broadcast((uint)i, at);
  to[i] += work_group_broadcast((uint)i, 2 * at);
  to[i] += sub_group_clustered_reduce_add((uint)i, 32);
}
#endif

// In a branch that no work-item takes.
// RUN: %{check} %s guarded --global=64 --local=32 inout:u32[64]=1 2>&1 | FileCheck %s --check-prefix=GUARDED
// GUARDED-NOT: check:
// GUARDED: argument 0: 16 16 16
#if __OPENCL_C_VERSION__ >= 200
kernel void guarded(global uint *to) {
  uint sum = to[get_global_id(0)];
  for (uint step = 1; step < get_max_sub_group_size(); step *= 2)
    sum += sub_group_shuffle_xor(sum, step);
  if (get_max_sub_group_size() >= 32)
    sum += sub_group_shuffle_xor(sum, 16);
  to[get_global_id(0)] = sum;
}
#endif

// A group that is larger than its local array.
// RUN: %{check} %s large_group --global=32 --local=32 out:u32[32] 2>&1 | FileCheck %s --check-prefix=LARGE-GROUP
// RUN: %{scalar} %s large_group --global=32 --local=32 out:u32[32] 2>&1 | FileCheck %s --check-prefix=LARGE-GROUP
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

// Shuffles of SPV_INTEL_subgroups by 3, 16 and 17. Those up and down get the second value where the lane is not in the
// sub-group: by 17, one work-item each is after that.
// DEFINE: %{number} =
// DEFINE: %{intel} = sed "s/%uint 3/%uint %{number}/" %S/../api/intel_subgroups.spvasm | spirv-as --target-env spv1.2 - -o %t.spv && env KILN_CHECK=memory KILN_CPU_THREADS=1 kiln-run %t.spv k --global=16 --local=16 in:u32[48]=iota out:u32[112] 2>&1
// REDEFINE: %{number} = 3
// RUN: %{intel} | FileCheck %s --check-prefix=INTEL3
// INTEL3-NOT: check:
// INTEL3: argument 1: 3 3 3
// REDEFINE: %{number} = 16
// RUN: %{intel} | FileCheck %s --check-prefix=INTEL16
// INTEL16: check: kernel k reads the value of work-item 16 in a sub-group of 16 work-items
// INTEL16: check: 1 findings, which occurred 32 times
// REDEFINE: %{number} = 17
// RUN: %{intel} | FileCheck %s --check-prefix=INTEL17
// INTEL17: check: 1 findings, which occurred 34 times
