// y = a * x for a sparse matrix in CSR form, one row per work-item.
__kernel void spmv(__global const float *values, __global const int *columns, __global const int *starts,
                   __global const float *x, __global float *y, int rows) {
  int row = get_global_id(0);
  if (row >= rows)
    return;
  float sum = 0.0f;
  for (int k = starts[row]; k < starts[row + 1]; ++k)
    sum += values[k] * x[columns[k]];
  y[row] = sum;
}
