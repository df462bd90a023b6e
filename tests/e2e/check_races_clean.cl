// KILN_CHECK=races,init reports nothing in kernels without a race, in vector and in scalar code.

// DEFINE: %{check} = env KILN_CHECK=races,init KILN_CPU_THREADS=1 kiln-run
// DEFINE: %{scalar} = env KILN_CHECK=races,init KILN_CPU_THREADS=1 KILN_CPU_MACHINE_WIDTH=1 kiln-run
// CHECK-NOT: check:

// RUN: %{check} %s own_bytes --global=64 --local=16 inout:u8[66]=1 2>&1 | FileCheck %s
// RUN: %{scalar} %s own_bytes --global=64 --local=16 inout:u8[66]=1 2>&1 | FileCheck %s
kernel void own_bytes(global uchar *a) {
  size_t i = get_global_id(0);
  a[i + 1] = a[i + 1] * 3 + 1;
}

struct Mixed {
  char kind;
  short size;
  int value;
};
// RUN: %{check} %s fields --global=64 --local=64 inout:u32[64]=1 2>&1 | FileCheck %s
// RUN: %{scalar} %s fields --global=64 --local=64 inout:u32[64]=1 2>&1 | FileCheck %s
kernel void fields(global struct Mixed *a) {
  size_t i = get_global_id(0);
  if (i % 2)
    a[i / 2].size = 3;
  else
    a[i / 2].kind = 3;
}

// RUN: %{check} %s histogram --global=1024 --local=64 in:u32[1024]=iota inout:u32[8]=0 2>&1 | FileCheck %s --check-prefixes=CHECK,BINS
// RUN: %{scalar} %s histogram --global=1024 --local=64 in:u32[1024]=iota inout:u32[8]=0 2>&1 | FileCheck %s --check-prefixes=CHECK,BINS
// BINS: argument 1: 128 128 128 128 128 128 128 128
kernel void histogram(global const uint *from, global uint *to) {
  local uint bins[8];
  size_t l = get_local_id(0);
  if (l < 8)
    bins[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&bins[from[get_global_id(0)] % 8]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 8)
    atomic_add(&to[l], bins[l]);
}

// RUN: %{check} %s reduce --global=1024 --local=128 in:u32[1024]=iota out:u32[8] local=512 2>&1 | FileCheck %s
// RUN: %{scalar} %s reduce --global=1024 --local=128 in:u32[1024]=iota out:u32[8] local=512 2>&1 | FileCheck %s
kernel void reduce(global const uint *from, global uint *to, local uint *tile) {
  size_t l = get_local_id(0);
  tile[l] = from[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t step = get_local_size(0) / 2; step; step /= 2) {
    if (l < step)
      tile[l] += tile[l + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0)
    to[get_group_id(0)] = tile[0];
}

// RUN: %{check} %s scan --global=256 --local=64 in:u32[256]=1 out:u32[256] 2>&1 | FileCheck %s
// RUN: %{scalar} %s scan --global=256 --local=64 in:u32[256]=1 out:u32[256] 2>&1 | FileCheck %s
kernel void scan(global const uint *from, global uint *to) {
  local uint tile[2][64];
  size_t l = get_local_id(0), at = 0;
  tile[0][l] = from[get_global_id(0)];
  for (size_t step = 1; step < 64; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[1 - at][l] = tile[at][l] + (l >= step ? tile[at][l - step] : 0);
    at = 1 - at;
  }
  to[get_global_id(0)] = tile[at][l];
}

// RUN: %{check} %s matmul --global=32,32 --local=16,16 in:f32[1024]=1 in:f32[1024]=2 out:f32[1024] 2>&1 | FileCheck %s
// RUN: %{scalar} %s matmul --global=32,32 --local=16,16 in:f32[1024]=1 in:f32[1024]=2 out:f32[1024] 2>&1 | FileCheck %s
kernel void matmul(global const float *a, global const float *b, global float *c) {
  local float left[16][16], right[16][16];
  int x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (int t = 0; t < 32; t += 16) {
    left[y][x] = a[row * 32 + t + x];
    right[y][x] = b[(t + y) * 32 + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; ++k)
      sum += left[y][k] * right[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * 32 + column] = sum;
}

// The rows of a group in global memory, with a barrier between the passes.
// RUN: %{check} %s ping_pong --global=64 --local=16 inout:u32[64]=iota inout:u32[64]=0 2>&1 | FileCheck %s
// RUN: %{scalar} %s ping_pong --global=64 --local=16 inout:u32[64]=iota inout:u32[64]=0 2>&1 | FileCheck %s
kernel void ping_pong(global uint *a, global uint *b) {
  size_t l = get_local_id(0), first = 16 * get_group_id(0);
  for (int k = 0; k < 4; ++k) {
    b[first + l] = a[first + (l + 1) % 16];
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[first + l] = b[first + (l + 1) % 16];
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}

// RUN: %{check} %s copies --global=64 --local=16 in:u32[64]=iota out:u32[64] 2>&1 | FileCheck %s
// RUN: %{scalar} %s copies --global=64 --local=16 in:u32[64]=iota out:u32[64] 2>&1 | FileCheck %s
kernel void copies(global const uint *from, global uint *to) {
  local uint tile[16];
  const size_t first = 16 * get_group_id(0);
  event_t copied = async_work_group_copy(tile, from + first, 16, 0);
  wait_group_events(1, &copied);
  uint other = tile[15 - get_local_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  tile[get_local_id(0)] = other;
  barrier(CLK_LOCAL_MEM_FENCE);
  copied = async_work_group_copy(to + first, tile, 16, 0);
  wait_group_events(1, &copied);
}

// The barrier is in a loop that the group leaves at different times, and in a branch.
// RUN: %{check} %s uniform_loop --global=64 --local=16 inout:u32[64]=iota 2>&1 | FileCheck %s
// RUN: %{scalar} %s uniform_loop --global=64 --local=16 inout:u32[64]=iota 2>&1 | FileCheck %s
kernel void uniform_loop(global uint *a) {
  local uint tile[16];
  size_t l = get_local_id(0), group = get_group_id(0);
  uint value = a[16 * group + l];
  for (uint k = 0; k <= group; ++k) {
    if (k % 2 == 0) {
      tile[l] = value;
      barrier(CLK_LOCAL_MEM_FENCE);
      value += tile[(l + k) % 16];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
  a[16 * group + l] = value;
}

// A group of which a part reads; another one writes what the other part would have read.
// RUN: %{check} %s parts --global=64 --local=16 inout:u32[80]=1 out:u32[64] u32=33 2>&1 | FileCheck %s
// RUN: %{check} %s parts --global=64 --local=16 inout:u32[80]=1 out:u32[64] u32=40 2>&1 | FileCheck %s
// RUN: %{check} %s parts --global=64 --local=16 inout:u32[80]=1 out:u32[64] u32=48 2>&1 | FileCheck %s
// RUN: %{scalar} %s parts --global=64 --local=16 inout:u32[80]=1 out:u32[64] u32=40 2>&1 | FileCheck %s
kernel void parts(global uint *a, global uint *to, uint width) {
  uint x = get_global_id(0);
  if (x < width)
    to[x] = a[x + 8];
  if (x >= width + 8)
    a[x] = x;
}

// A write by one work-item, which others read after a barrier.
// RUN: %{check} %s one_writes --global=64 --local=16 inout:u32[4]=0 out:u32[64] 2>&1 | FileCheck %s
// RUN: %{scalar} %s one_writes --global=64 --local=16 inout:u32[4]=0 out:u32[64] 2>&1 | FileCheck %s
kernel void one_writes(global uint *a, global uint *to) {
  local uint limit;
  if (get_local_id(0) == 3) {
    limit = 5;
    a[get_group_id(0)] = 9;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  to[get_global_id(0)] = limit + a[get_group_id(0)];
}

#pragma OPENCL EXTENSION cl_khr_subgroups : enable
// RUN: %{check} %s sub_groups --options=-cl-std=CL3.0 --global=128 --local=64 in:u32[128]=iota out:u32[2] 2>&1 | FileCheck %s
// RUN: %{scalar} %s sub_groups --options=-cl-std=CL3.0 --global=128 --local=64 in:u32[128]=iota out:u32[2] 2>&1 | FileCheck %s
// RUN: %{check} %s sub_group_barriers --options=-cl-std=CL3.0 --global=128 --local=64 in:u32[128]=iota out:u32[128] 2>&1 | FileCheck %s
// RUN: %{check} %s collectives --options=-cl-std=CL3.0 --global=128 --local=64 in:u32[128]=iota out:u32[128] 2>&1 | FileCheck %s
#if __OPENCL_C_VERSION__ >= 200
kernel void sub_groups(global const uint *from, global uint *to) {
  local uint sums[64];
  uint sum = sub_group_reduce_add(from[get_global_id(0)]);
  if (get_sub_group_local_id() == 0)
    sums[get_sub_group_id()] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    uint all = 0;
    for (uint i = 0; i < get_num_sub_groups(); ++i)
      all += sums[i];
    to[get_group_id(0)] = all;
  }
}
kernel void sub_group_barriers(global const uint *from, global uint *to) {
  local uint tile[64];
  uint first = get_local_id(0) - get_sub_group_local_id(), size = get_sub_group_size();
  tile[get_local_id(0)] = from[get_global_id(0)];
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  to[get_global_id(0)] = tile[first + (get_sub_group_local_id() + 1) % size];
}
kernel void collectives(global const uint *from, global uint *to) {
  local uint base;
  uint sum = work_group_scan_inclusive_add(from[get_global_id(0)]);
  if (get_local_id(0) == 63)
    base = sum;
  uint all = work_group_broadcast(sum, 63);
  barrier(CLK_LOCAL_MEM_FENCE);
  to[get_global_id(0)] = sum + all + base;
}
#endif
