// c = a * b for square matrices whose side n is a multiple of TILE; one work-group computes one tile of c.
#define TILE 16

__kernel void matmul(__global const float *a, __global const float *b, __global float *c, int n) {
  __local float tileOfA[TILE][TILE], tileOfB[TILE][TILE];
  int column = get_global_id(0), row = get_global_id(1);
  int x = get_local_id(0), y = get_local_id(1);
  float sum = 0.0f;
  for (int start = 0; start < n; start += TILE) {
    tileOfA[y][x] = a[row * n + start + x];
    tileOfB[y][x] = b[(start + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE; ++k)
      sum += tileOfA[y][k] * tileOfB[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}
