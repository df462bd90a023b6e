// The mean of the four neighbours; the edge is unchanged.
__kernel void jacobi(__global const float *from, __global float *to, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
    return;
  int at = y * width + x;
  to[at] = 0.25f * (from[at - 1] + from[at + 1] + from[at - width] + from[at + width]);
}
