// Atomics of OpenCL C 2.0 and later: types, functions, memory orders and scopes, in every address space.
// FEATURES: LANG-1.13.11a LANG-1.13.11b LANG-1.13.11c LANG-1.13.11d LANG-1.13.11e LANG-1.13.11f EXEC-3.3.4a

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

global atomic_int everyone = ATOMIC_VAR_INIT(5);
global atomic_flag taken = ATOMIC_FLAG_INIT;

int add(volatile atomic_int *counter, int n) {
  return atomic_fetch_add_explicit(counter, n, memory_order_acq_rel, memory_scope_work_group);
}

// Counters in global memory, local memory and program variables, through named and generic pointers.
// RUN: kiln-run %s spaces --options=-cl-std=CL3.0 --global=8 --local=4 inout:i32[4]=0 | FileCheck %s --check-prefix=SPACES
// SPACES: argument 0: 36 40 13 1
kernel void spaces(global atomic_int *out) {
  local atomic_int shared;
  if (get_local_id(0) == 0)
    atomic_init(&shared, 10);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  add(&out[0], (int)get_global_id(0));
  atomic_fetch_add(&out[0], 1);
  add(&shared, 1);
  atomic_fetch_add(&shared, 1);
  add(&everyone, 1);
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
  work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_device);
  if (get_local_id(0) == 0) {
    atomic_fetch_add(&out[1], atomic_load(&shared) + 2);
    if (!atomic_flag_test_and_set(&taken))
      atomic_fetch_add(&out[3], 1);
  }
  atomic_fetch_max(&out[2], atomic_load_explicit(&everyone, memory_order_relaxed, memory_scope_all_svm_devices));
}

// Every function, in one work-item. A failing compare-exchange stores the value that it found.
// RUN: kiln-run %s functions --options=-cl-std=CL3.0 --global=1 --local=1 inout:i64[9]=12 out:i32[4] | FileCheck %s --check-prefix=FUNCTIONS
// FUNCTIONS: argument 0: 15 9 8 14 6 -7 12 99 77
// FUNCTIONS: argument 1: 1 0 77 1
kernel void functions(global atomic_long *out, global int *found) {
  atomic_fetch_add_explicit(&out[0], 3, memory_order_relaxed);
  atomic_fetch_sub_explicit(&out[1], 3, memory_order_acquire, memory_scope_device);
  atomic_fetch_and(&out[2], 9);
  atomic_fetch_or(&out[3], 6);
  atomic_fetch_xor(&out[4], 10);
  atomic_fetch_min(&out[5], -7);
  atomic_fetch_max(&out[6], -7);
  atomic_store_explicit(&out[7], atomic_exchange(&out[7], 98) + 87, memory_order_release);
  long expected = 12;
  found[0] = atomic_compare_exchange_strong(&out[8], &expected, 77);
  found[1] = atomic_compare_exchange_strong_explicit(&out[8], &expected, 78, memory_order_seq_cst, memory_order_acquire,
                                                     memory_scope_device);
  found[2] = (int)expected;
  found[3] = atomic_compare_exchange_weak(&out[8], &expected, 77);
}

// Memory orders and scopes that are kernel arguments.
// RUN: kiln-run %s chosen --options=-cl-std=CL3.0 --global=64 --local=16 inout:i32[2]=0 i32=0 i32=1 | FileCheck %s --check-prefix=CHOSEN
// RUN: kiln-run %s chosen --options=-cl-std=CL3.0 --global=64 --local=16 inout:i32[2]=0 i32=4 i32=2 | FileCheck %s --check-prefix=CHOSEN
// CHOSEN: argument 0: 64 63
kernel void chosen(global atomic_int *out, int order, int scope) {
  memory_order o = order == 0 ? memory_order_relaxed : order == 4 ? memory_order_seq_cst : memory_order_acq_rel;
  memory_scope s = scope == 1 ? memory_scope_work_group : memory_scope_device;
  int old = atomic_fetch_add_explicit(&out[0], 1, o, s);
  atomic_fetch_max_explicit(&out[1], old, o, memory_scope_device);
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, o, s);
}

// Fence flags that are kernel arguments.
// RUN: kiln-run %s fences --options=-cl-std=CL3.0 --global=4 --local=4 out:i32[4] i32=1 i32=2 | FileCheck %s --check-prefix=FENCES
// FENCES: argument 0: 6 4 2 0
kernel void fences(global int *out, int memory, int scope) {
  local int tile[4];
  size_t i = get_local_id(0);
  tile[i] = (int)i;
  barrier(memory ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE);
  int other = tile[3 - i];
  work_group_barrier((cl_mem_fence_flags)memory, (memory_scope)scope);
  tile[i] = other;
  mem_fence((cl_mem_fence_flags)memory);
  atomic_work_item_fence((cl_mem_fence_flags)memory, memory_order_acq_rel, (memory_scope)scope);
  out[i] = tile[i] + other;
}
