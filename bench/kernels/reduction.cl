// One sum per work-group, by a tree in local memory. The local size must be a power of two.
__kernel void reduce(__global const float *in, __global float *sums, __local float *partial) {
  size_t item = get_local_id(0);
  partial[item] = in[get_global_id(0)];
  for (size_t width = get_local_size(0) / 2; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < width)
      partial[item] += partial[item + width];
  }
  if (item == 0)
    sums[get_group_id(0)] = partial[0];
}
