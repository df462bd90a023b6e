// REQUIRES: ptxas
// ptxas accepts collectives and pipes: all operators, types and scopes, in whole groups and in branches.
// RUN: kiln-clc -cl-std=CL3.0 %s -o %t.spv
// RUN: kilnc --target=nvptx:sm_90 %t.spv -o %t.ptx
// RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
// RUN: kilnc --target=nvptx:sm_75 %t.spv -o %t.ptx
// RUN: %ptxas -arch=sm_75 %t.ptx -o %t.cubin
// RUN: kilnc --target=nvptx:sm_90 --options=-cl-opt-disable %t.spv -o %t.ptx
// RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin
// The same code for the other vendor.
// RUN: kilnc --target=amdgpu:gfx90a %t.spv -o %t.co
// RUN: kilnc --target=amdgpu:gfx1100 %t.spv -o %t.co

#define REDUCES(T, name)                                                                                               \
  kernel void T##_##name(global T *p) {                                                                                \
    size_t i = get_global_id(0);                                                                                       \
    T x = p[i];                                                                                                        \
    x += sub_group_reduce_##name(x) + sub_group_scan_inclusive_##name(x) + sub_group_scan_exclusive_##name(x);         \
    x += work_group_reduce_##name(x) + work_group_scan_inclusive_##name(x) + work_group_scan_exclusive_##name(x);      \
    if (i & 1)                                                                                                         \
      x += sub_group_non_uniform_reduce_##name(x) + sub_group_non_uniform_scan_inclusive_##name(x) +                   \
           sub_group_non_uniform_scan_exclusive_##name(x) + sub_group_clustered_reduce_##name(x, 8);                   \
    p[i] = x;                                                                                                          \
  }
#define MORE(T, name)                                                                                                  \
  kernel void more_##T##_##name(global T *p) {                                                                         \
    size_t i = get_global_id(0);                                                                                       \
    T x = p[i];                                                                                                        \
    x += work_group_reduce_##name(x) + work_group_scan_inclusive_##name(x) + work_group_scan_exclusive_##name(x);      \
    if (i & 1)                                                                                                         \
      x += sub_group_non_uniform_reduce_##name(x) + sub_group_non_uniform_scan_inclusive_##name(x) +                   \
           sub_group_non_uniform_scan_exclusive_##name(x) + sub_group_clustered_reduce_##name(x, 4);                   \
    p[i] = x;                                                                                                          \
  }
#define ALL(T) REDUCES(T, add) REDUCES(T, min) REDUCES(T, max) MORE(T, mul)
#define BITS(T) MORE(T, and) MORE(T, or) MORE(T, xor)
ALL(int) ALL(uint) ALL(long) ALL(ulong) ALL(float) ALL(double)
BITS(int) BITS(ulong) MORE(int, logical_and) MORE(int, logical_or) MORE(int, logical_xor)
#define SMALL(T)                                                                                                       \
  kernel void small_##T(global T *p) {                                                                                 \
    size_t i = get_global_id(0);                                                                                       \
    T x = p[i];                                                                                                        \
    x += sub_group_reduce_add(x) + sub_group_scan_inclusive_max(x) + sub_group_broadcast(x, 3);                        \
    if (i & 1)                                                                                                         \
      x += sub_group_non_uniform_reduce_min(x) + sub_group_shuffle_xor(x, 5);                                          \
    p[i] = x;                                                                                                          \
  }
SMALL(char) SMALL(uchar) SMALL(short) SMALL(ushort)

kernel void shuffles(global int *in, global int8 *out, global float3 *v) {
  int x = in[get_global_id(0)];
  uint l = get_sub_group_local_id();
  out[get_global_id(0)] = (int8)(sub_group_shuffle(x, l * 5 % get_sub_group_size()), sub_group_shuffle_xor(x, 3),
                      sub_group_shuffle_up(x, 2), sub_group_shuffle_down(x, 3), sub_group_rotate(x, 5),
                      sub_group_rotate(x, -1), sub_group_clustered_rotate(x, 3, 4), sub_group_shuffle((double)x, 0) == 2);
  v[get_global_id(0)] = sub_group_broadcast(v[get_global_id(0)], 2);
}
kernel void ballots(global uint4 *in, global uint8 *out) {
  uint4 b = in[get_global_id(0)];
  out[get_global_id(0)] = (uint8)(sub_group_inverse_ballot(b), sub_group_ballot_bit_extract(b, 35), sub_group_ballot_bit_count(b),
                       sub_group_ballot_inclusive_scan(b), sub_group_ballot_exclusive_scan(b),
                       sub_group_ballot_find_lsb(b), sub_group_ballot_find_msb(b), get_sub_group_ge_mask().x);
}
kernel void votes(global int *in, global int8 *out) {
  int x = in[get_global_id(0)];
  if (x > 3)
    out[get_global_id(0)] = (int8)(sub_group_elect(), sub_group_non_uniform_all(x), sub_group_non_uniform_any(x),
                       sub_group_non_uniform_all_equal(x), sub_group_broadcast_first(x),
                       as_int4(sub_group_ballot(x)).x, sub_group_non_uniform_all_equal(1.0f),
                       sub_group_non_uniform_reduce_logical_xor(x));
  sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
  out[get_global_id(1)] = (int8)(sub_group_all(x), sub_group_any(x), work_group_all(x), work_group_any(x), work_group_broadcast(x, 3), 0, 0, 0);
}
kernel void loops(global int *out, global const uchar *takes) {
  int sum = 0;
  for (int i = 0; i <= get_sub_group_local_id(); ++i)
    sum += sub_group_non_uniform_reduce_add(1) * (i + 1);
  if (takes[get_global_id(0)]) {
    out[get_global_id(0)] = -sum;
    return;
  }
  out[get_global_id(0)] = sum * 1000 + sub_group_non_uniform_scan_inclusive_add(1);
}
kernel void put(global int *in, write_only pipe int p, global int *res) {
  int x = in[get_global_id(0)];
  res[get_global_id(0)] = write_pipe(p, &x);
  reserve_id_t r = work_group_reserve_write_pipe(p, get_local_size(0));
  if (is_valid_reserve_id(r)) {
    write_pipe(p, r, get_local_id(0), &x);
    work_group_commit_write_pipe(p, r);
  }
  r = sub_group_reserve_write_pipe(p, get_sub_group_size());
  if (is_valid_reserve_id(r)) {
    write_pipe(p, r, get_sub_group_local_id(), &x);
    sub_group_commit_write_pipe(p, r);
  }
}
kernel void take(global int *out, read_only pipe int p) {
  int x = -1;
  reserve_id_t r = reserve_read_pipe(p, 1);
  if (is_valid_reserve_id(r)) {
    read_pipe(p, r, 0, &x);
    commit_read_pipe(p, r);
  } else
    read_pipe(p, &x);
  out[get_global_id(0)] = x + get_pipe_num_packets(p) + get_pipe_max_packets(p);
}
