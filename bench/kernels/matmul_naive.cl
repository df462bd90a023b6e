// c = a * b for square matrices of side n, without tiles.
__kernel void matmul(__global const float *a, __global const float *b, __global float *c, int n) {
  int column = get_global_id(0), row = get_global_id(1);
  if (row >= n || column >= n)
    return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
