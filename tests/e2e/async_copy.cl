// Async work-group copies, dense and strided, in both directions, of more and fewer elements than work-items.
// RUN: kiln-run %s reverse --global=8 --local=4 in:i32[16]=iota out:i32[16] i32=7 | FileCheck %s --check-prefix=DENSE
// DENSE: argument 1: 6 5 4 3 2 1 0 0 14 13 12 11 10 9 8 0
kernel void reverse(global const int *in, global int *out, int n) {
  local int from[8], to[8];
  size_t start = 8 * get_group_id(0);
  event_t got = async_work_group_copy(from, in + start, n, 0);
  wait_group_events(1, &got);
  for (int i = get_local_id(0); i < n; i += get_local_size(0))
    to[i] = from[n - 1 - i];
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t put = async_work_group_copy(out + start, to, n, 0);
  wait_group_events(1, &put);
}

// RUN: kiln-run %s every_third --global=4 --local=4 in:i32[12]=iota out:i32[12] | FileCheck %s --check-prefix=STRIDED
// STRIDED: argument 1: 0 0 3 0 6 0 9 0 0 0 0 0
kernel void every_third(global const int *in, global int *out) {
  local int tile[4];
  event_t events[2];
  events[0] = async_work_group_strided_copy(tile, in, 4, 3, 0);
  wait_group_events(1, events);
  events[1] = async_work_group_strided_copy(out, tile, 4, 2, 0);
  wait_group_events(1, events + 1);
}
