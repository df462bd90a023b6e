// The tasks of a Cholesky factorisation A = L * L^T by tiles. A tile has n * n doubles, by columns: row i of column j is
// tile[j * n + i]. Sums are in the order of k and use fma only, so every device computes the same bits.
#pragma OPENCL FP_CONTRACT OFF

// Replaces the lower triangle of a diagonal tile by its factor. One work-group; `failed` is set if the tile is not
// positive definite.
kernel void potrf(global double *tile, int n) {
  int item = get_local_id(0), items = get_local_size(0);
  for (int k = 0; k < n; ++k) {
    if (item == 0)
      tile[k * n + k] = sqrt(tile[k * n + k]);
    barrier(CLK_GLOBAL_MEM_FENCE);
    double pivot = tile[k * n + k];
    for (int i = k + 1 + item; i < n; i += items)
      tile[k * n + i] /= pivot;
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (int j = k + 1; j < n; ++j) {
      double factor = -tile[k * n + j];
      for (int i = j + item; i < n; i += items)
        tile[j * n + i] = fma(factor, tile[k * n + i], tile[j * n + i]);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}

// Solves X * L^T = tile for a tile below the diagonal. Each work-item computes one row.
kernel void trsm(global const double *factor, global double *tile, int n) {
  int i = get_global_id(0);
  for (int j = 0; j < n; ++j) {
    double sum = tile[j * n + i];
    for (int k = 0; k < j; ++k)
      sum = fma(-tile[k * n + i], factor[k * n + j], sum);
    tile[j * n + i] = sum / factor[j * n + j];
  }
}

// tile -= left * right^T. Each work-item computes one row of eight columns.
kernel void gemm(global const double *left, global const double *right, global double *tile, int n) {
  int i = get_global_id(0), j = get_global_id(1) * 8;
  double sums[8];
  for (int c = 0; c < 8; ++c)
    sums[c] = tile[(j + c) * n + i];
  for (int k = 0; k < n; ++k) {
    double factor = -left[k * n + i];
    for (int c = 0; c < 8; ++c)
      sums[c] = fma(factor, right[k * n + j + c], sums[c]);
  }
  for (int c = 0; c < 8; ++c)
    tile[(j + c) * n + i] = sums[c];
}
