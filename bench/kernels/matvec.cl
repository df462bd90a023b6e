// y = a * x, one row per work-item.
__kernel void matvec(__global const float *a, __global const float *x, __global float *y, int rows, int columns) {
  int row = get_global_id(0);
  if (row >= rows)
    return;
  float sum = 0.0f;
  for (int k = 0; k < columns; ++k)
    sum += a[row * columns + k] * x[k];
  y[row] = sum;
}
