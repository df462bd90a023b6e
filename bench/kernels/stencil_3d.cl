// A weighted sum of each point of a cube and its six neighbours; the faces are unchanged.
__kernel void stencil(__global const float *from, __global float *to, int side, float near, float far) {
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  if (x < 1 || y < 1 || z < 1 || x >= side - 1 || y >= side - 1 || z >= side - 1)
    return;
  int row = side, plane = side * side, at = z * plane + y * row + x;
  float sum = from[at - 1] + from[at + 1] + from[at - row] + from[at + row] + from[at - plane] + from[at + plane];
  to[at] = near * from[at] + far * sum;
}
