kernel void fir(global const float *x, global const float *w, global float *y, int n) {
  float sum = 0;
  int i = get_global_id(0);
  for (int j = 0; j < n; ++j)
    sum += x[i + j] * w[j];
  y[i] = sum;
}
