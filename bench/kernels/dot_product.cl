// The sum of one product for each work-item, for each work-group, by a tree in local memory. The local size must be a
// power of two.
__kernel void dot_product(__global const float *x, __global const float *y, __global float *sums,
                          __local float *products, int count) {
  int i = get_global_id(0), item = get_local_id(0);
  products[item] = i < count ? x[i] * y[i] : 0.0f;
  for (int width = get_local_size(0) / 2; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < width)
      products[item] += products[item + width];
  }
  if (item == 0)
    sums[get_group_id(0)] = products[0];
}
