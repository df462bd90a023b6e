// KILN_CHECK=init reports reads of memory that was never written: buffers without initial contents, local memory, and
// private arrays; in vector and in scalar code. tests/process/CheckInit_test.cpp has the commands of the host.

// DEFINE: %{check} = env KILN_CHECK=init KILN_CPU_THREADS=1 kiln-run
// DEFINE: %{scalar} = env KILN_CHECK=init KILN_CPU_THREADS=1 KILN_CPU_MACHINE_WIDTH=1 kiln-run

// RUN: %{check} %s buffer --global=64 --local=16 out:u32[64] new:u32[64] 2>&1 | FileCheck %s --check-prefix=BUFFER
// RUN: %{scalar} %s buffer --global=64 --local=16 out:u32[64] new:u32[64] 2>&1 | FileCheck %s --check-prefix=BUFFER
// BUFFER: check: kernel buffer reads memory that was never written: the buffer of argument 1 (from): byte 0
// BUFFER-NEXT: line [[# @LINE + 5]]: to[i] = from[i] + 1;
// BUFFER-NEXT: work-item (0), local id (0) in work-group (0), address 0x
// BUFFER: check: 1 findings
kernel void buffer(global uint *to, global const uint *from) {
  size_t i = get_global_id(0);
  to[i] = from[i] + 1;
}

// One element is not written.
// RUN: %{check} %s one_missing --global=64 --local=64 new:u32[64] out:u32[64] 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: %{scalar} %s one_missing --global=64 --local=64 new:u32[64] out:u32[64] 2>&1 | FileCheck %s --check-prefix=ONE
// ONE: check: kernel one_missing reads memory that was never written: the buffer of argument 0 (a): byte 84
// ONE-NEXT: line [[# @LINE + 7]]: to[i] = a[i];
// ONE-NEXT: work-item (21), local id (21) in work-group (0)
// ONE: check: 1 findings, which occurred 1 times
kernel void one_missing(global uint *a, global uint *to) {
  size_t i = get_global_id(0);
  if (i != 21)
    a[i] = (uint)i;
  to[i] = a[i];
}

// RUN: %{check} %s counter --global=8 --local=8 new:u32[1] 2>&1 | FileCheck %s --check-prefix=COUNTER
// COUNTER: check: kernel counter reads memory that was never written: the buffer of argument 0 (count): byte 0
// COUNTER-NEXT: line [[# @LINE + 3]]: atomic_inc(count);
// COUNTER: check: 1 findings
kernel void counter(global uint *count) {
  atomic_inc(count);
}

// RUN: %{check} %s accumulate --global=16 --local=16 new:f32[16] in:f32[16]=1 2>&1 | FileCheck %s --check-prefix=ACCUMULATE
// RUN: %{scalar} %s accumulate --global=16 --local=16 new:f32[16] in:f32[16]=1 2>&1 | FileCheck %s --check-prefix=ACCUMULATE
// ACCUMULATE: check: kernel accumulate reads memory that was never written: the buffer of argument 0 (sum)
// ACCUMULATE-NEXT: line [[# @LINE + 3]]: sum[get_global_id(0)] += from[get_global_id(0)];
// ACCUMULATE: check: 1 findings
kernel void accumulate(global float *sum, global const float *from) {
  sum[get_global_id(0)] += from[get_global_id(0)];
}

// The bytes between two floats of a vector of three are not read.
// RUN: %{check} %s triples --global=8 --local=8 new:f32[32] out:f32[8] 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: %{check} %s writes --global=64 --local=16 new:u8[64] 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: %{check} %s pairs --global=8 --local=8 new:u32[16] out:u32[8] 2>&1 | FileCheck %s --check-prefix=RIGHT
// RIGHT-NOT: check:
kernel void triples(global float3 *a, global float *to) {
  size_t i = get_global_id(0);
  a[i] = (float3)(1, 2, 3);
  to[i] = a[i].x + a[i].y + a[i].z;
}
kernel void writes(global uchar *a) {
  size_t i = get_global_id(0);
  a[i] = (uchar)i;
  a[i] += 1;
}
struct Padded {
  char kind;
  int value;
};
kernel void pairs(global struct Padded *a, global uint *to) {
  size_t i = get_global_id(0);
  a[i].kind = 1, a[i].value = 2;
  struct Padded copy = a[i];
  to[i] = copy.value + copy.kind;
}

// Where a component is set, its neighbours are read and stored again.
// RUN: %{check} %s components --global=8 --local=8 new:f32[32] out:f32[32] new:u8[24] local=128 u32=2 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: %{scalar} %s components --global=8 --local=8 new:f32[32] out:f32[32] new:u8[24] local=128 u32=2 2>&1 | FileCheck %s --check-prefix=RIGHT
kernel void components(global float4 *a, global float4 *to, global uchar *bytes, local float4 *room, uint n) {
  size_t i = get_global_id(0);
  float4 own[2];
  room[i].x = 1;
  room[i].zy = (float2)(2, 3);
  room[i].w = 4;
  a[i][n] = 5;
  own[i & 1].s02 = room[i].yz;
  own[i & 1].odd = room[i].xw;
  to[i] = own[i & 1];
  ((global uchar3 *)bytes)[i / 2].y = 6;
}

// Components that go elsewhere are not only read to be stored again.
// RUN: %{check} %s moved --global=8 --local=8 new:f32[32] 2>&1 | FileCheck %s --check-prefix=MOVED
// RUN: %{check} %s kept_and_used --global=8 --local=8 new:f32[32] out:f32[32] 2>&1 | FileCheck %s --check-prefix=USED
// MOVED: check: kernel moved reads memory that was never written: the buffer of argument 0 (a)
// MOVED-NEXT: line [[# @LINE + 5]]: a[i].xy = a[i].yz;
// MOVED: check: 1 findings
// USED: check: kernel kept_and_used reads memory that was never written: the buffer of argument 0 (a)
kernel void moved(global float4 *a) {
  size_t i = get_global_id(0);
  a[i].xy = a[i].yz;
}
kernel void kept_and_used(global float4 *a, global float4 *to) {
  size_t i = get_global_id(0);
  float4 v = a[i];
  v.x = 1;
  a[i] = v;
  to[i] = v;
}

// RUN: %{check} %s local_tile --global=64 --local=16 out:u32[64] 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: %{scalar} %s local_tile --global=64 --local=16 out:u32[64] 2>&1 | FileCheck %s --check-prefix=TILE
// TILE: check: kernel local_tile reads memory that was never written: a local variable ({{.*}}tile)
// TILE-NEXT: line [[# @LINE + 9]]: to[get_global_id(0)] = tile[l + 1];
// TILE-NEXT: work-item (15), local id (15) in work-group (0)
// TILE: check: 1 findings, which occurred 4 times
kernel void local_tile(global uint *to) {
  local uint tile[17];
  size_t l = get_local_id(0);
  tile[l] = (uint)l;
  barrier(CLK_LOCAL_MEM_FENCE);
  // The last element is not written.
  to[get_global_id(0)] = tile[l + 1];
}

// A group does not see the local memory of the group before it.
// RUN: %{check} %s local_argument --global=32 --local=16 out:u32[32] local=64 2>&1 | FileCheck %s --check-prefix=LOCAL-ARGUMENT
// RUN: %{scalar} %s local_argument --global=32 --local=16 out:u32[32] local=64 2>&1 | FileCheck %s --check-prefix=LOCAL-ARGUMENT
// LOCAL-ARGUMENT: check: kernel local_argument reads memory that was never written: the local memory of argument 1 (tile)
// LOCAL-ARGUMENT-NEXT: line [[# @LINE + 8]]: to[get_global_id(0)] = tile[15 - l];
// LOCAL-ARGUMENT-NEXT: work-item (16), local id (0) in work-group (1)
// LOCAL-ARGUMENT: check: 1 findings, which occurred 16 times
kernel void local_argument(global uint *to, local uint *tile) {
  size_t l = get_local_id(0);
  if (get_group_id(0) == 0)
    tile[l] = (uint)l;
  barrier(CLK_LOCAL_MEM_FENCE);
  to[get_global_id(0)] = tile[15 - l];
}

// RUN: %{check} %s local_counter --global=16 --local=16 out:u32[1] 2>&1 | FileCheck %s --check-prefix=LOCAL-COUNTER
// LOCAL-COUNTER: check: kernel local_counter reads memory that was never written: a local variable
// LOCAL-COUNTER-NEXT: line [[# @LINE + 4]]: atomic_inc(&count);
// LOCAL-COUNTER: check: 1 findings, which occurred 1 times
kernel void local_counter(global uint *to) {
  local uint count;
  atomic_inc(&count);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0)
    *to = count;
}

// RUN: %{check} %s private_array --global=16 --local=16 out:u32[16] in:u32[16]=1,2,5,6 2>&1 | FileCheck %s --check-prefix=PRIVATE
// RUN: %{scalar} %s private_array --global=16 --local=16 out:u32[16] in:u32[16]=1,2,5,6 2>&1 | FileCheck %s --check-prefix=PRIVATE
// PRIVATE: check: kernel private_array reads bytes of a private variable that were never written
// PRIVATE-NEXT: line [[# @LINE + 8]]: to[i] = own[index[i]];
// PRIVATE-NEXT: work-item (3), local id (3) in work-group (0)
// PRIVATE: check: 1 findings, which occurred 4 times
kernel void private_array(global uint *to, global const uint *index) {
  size_t i = get_global_id(0);
  uint own[8];
  for (uint k = 0; k < 6; ++k)
    own[k] = index[k];
  to[i] = own[index[i]];
}

// RUN: %{check} %s private_right --global=16 --local=16 out:u32[16] in:u32[16]=1,2,5,7 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: %{scalar} %s private_right --global=16 --local=16 out:u32[16] in:u32[16]=1,2,5,7 2>&1 | FileCheck %s --check-prefix=RIGHT
kernel void private_right(global uint *to, global const uint *index) {
  size_t i = get_global_id(0);
  uint own[8] = {1, 2, 3}, last[4];
  for (uint k = 0; k < 4; ++k)
    last[index[i] & k] = k, last[k] = own[k + 3] + k;
  own[index[i]] += 3;
  to[i] = own[index[i]] + last[index[i] % 4];
}

// An atomic operation of a sub-group's first work-item, and one on local memory of an argument.
#if __OPENCL_C_VERSION__ >= 200
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
// RUN: %{check} %s sub_group_totals --options=-cl-std=CL3.0 --global=64 --local=64 in:u32[64]=1 out:u32[1] local=4 2>&1 | FileCheck %s --check-prefix=TOTALS
// TOTALS: check: kernel sub_group_totals reads memory that was never written: the local memory of argument 2 (total)
// TOTALS-NEXT: line [[# @LINE + 6]]: atomic_add(total, sum);
// TOTALS-NEXT: work-item (0), local id (0) in work-group (0)
// TOTALS: check: 1 findings, which occurred 1 times
kernel void sub_group_totals(global const uint *from, global uint *to, local uint *total) {
  uint sum = sub_group_reduce_add(from[get_global_id(0)]);
  if (get_sub_group_local_id() == 0)
    atomic_add(total, sum);
  barrier(CLK_LOCAL_MEM_FENCE);
  *to = *total;
}
#endif

// The copy brings fewer elements than the work-items read.
// RUN: %{check} %s short_copy --global=16 --local=16 in:u32[16]=iota out:u32[16] 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: check: kernel short_copy reads memory that was never written: a local variable ({{.*}}tile)
// SHORT-NEXT: line [[# @LINE + 7]]: to[get_local_id(0)] = tile[get_local_id(0)];
// SHORT-NEXT: work-item (12), local id (12) in work-group (0)
// SHORT: check: 1 findings, which occurred 4 times
kernel void short_copy(global const uint *from, global uint *to) {
  local uint tile[16];
  event_t copied = async_work_group_copy(tile, from, 12, 0);
  wait_group_events(1, &copied);
  to[get_local_id(0)] = tile[get_local_id(0)];
}

// A pointer that the kernel loads from memory leads to the buffer.
// RUN: %{check} %s loaded --global=16 --local=16 new:u32[16] out:u32[16] 2>&1 | FileCheck %s --check-prefix=LOADED
// RUN: %{scalar} %s loaded --global=16 --local=16 new:u32[16] out:u32[16] 2>&1 | FileCheck %s --check-prefix=LOADED
// LOADED: check: kernel loaded reads memory that was never written: a buffer: byte 32
// LOADED-NEXT: line [[# @LINE + 13]]: to[i] = from[i];
// LOADED-NEXT: work-item (8), local id (8) in work-group (0), address 0x
// LOADED-NEXT: created at kiln-run+0x
// LOADED: check: 1 findings
kernel void loaded(global uint *room, global uint *to) {
  local ulong pointer;
  uint i = get_global_id(0);
  if (i == 0)
    pointer = (ulong)room;
  barrier(CLK_LOCAL_MEM_FENCE);
  global uint *from = (global uint *)pointer;
  if (i < 8)
    from[i] = i;
  to[i] = from[i];
}
