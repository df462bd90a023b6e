// A matrix-vector product with quantized rows: signed bytes, with a scale for each block of 32. Each work-item reads one
// row.
#define BLOCK 32

__kernel void quantized_matvec(__global const char *a, __global const float *scales, __global const float *x,
                               __global float *y, int rows, int columns) {
  int row = get_global_id(0);
  if (row >= rows)
    return;
  float sum = 0.0f;
  for (int block = 0; block < columns / BLOCK; ++block) {
    float part = 0.0f;
    for (int k = block * BLOCK; k < (block + 1) * BLOCK; ++k)
      part += a[row * columns + k] * x[k];
    sum += scales[row * (columns / BLOCK) + block] * part;
  }
  y[row] = sum;
}
