// An exclusive prefix sum of two elements for each work-item of a work-group: sums up a tree in local memory, then
// prefix sums down the same tree. The local size must be a power of two.
__kernel void tree_scan(__global const uint *in, __global uint *out, __local uint *tree) {
  int item = get_local_id(0), size = get_local_size(0);
  int first = 2 * size * get_group_id(0);
  tree[item] = in[first + item];
  tree[item + size] = in[first + item + size];
  int distance = 1;
  for (int pairs = size; pairs > 0; pairs /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < pairs) {
      int right = (2 * item + 2) * distance - 1;
      tree[right] += tree[right - distance];
    }
    distance *= 2;
  }
  if (item == 0)
    tree[2 * size - 1] = 0;
  for (int pairs = 1; pairs <= size; pairs *= 2) {
    distance /= 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < pairs) {
      int right = (2 * item + 2) * distance - 1;
      uint sum = tree[right - distance];
      tree[right - distance] = tree[right];
      tree[right] += sum;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[first + item] = tree[item];
  out[first + item + size] = tree[item + size];
}
