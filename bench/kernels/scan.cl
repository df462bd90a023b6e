// An inclusive prefix sum within each work-group: log2(size) iterations between two halves of local memory.
__kernel void scan(__global const uint *in, __global uint *out, __local uint *room) {
  size_t item = get_local_id(0), size = get_local_size(0);
  __local uint *from = room, *to = room + size;
  from[item] = in[get_global_id(0)];
  for (size_t distance = 1; distance < size; distance *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    to[item] = from[item] + (item >= distance ? from[item - distance] : 0u);
    __local uint *swap = from;
    from = to;
    to = swap;
  }
  out[get_global_id(0)] = from[item];
}
