// Sorts two keys for each work-item of a work-group by a bitonic network in local memory. The local size must be a power
// of two.
__kernel void group_sort(__global const uint *in, __global uint *out, __local uint *keys) {
  int item = get_local_id(0), size = get_local_size(0);
  int first = 2 * size * get_group_id(0);
  keys[item] = in[first + item];
  keys[item + size] = in[first + item + size];
  for (int run = 2; run <= 2 * size; run *= 2)
    for (int distance = run / 2; distance > 0; distance /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      int low = 2 * item - (item & (distance - 1));
      uint a = keys[low], b = keys[low + distance];
      bool swaps = (a > b) == ((low & run) == 0);
      keys[low] = swaps ? b : a;
      keys[low + distance] = swaps ? a : b;
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[first + item] = keys[item];
  out[first + item + size] = keys[item + size];
}
