kernel void add(global float *sum, global const float *x, float factor, int count) {
  int i = get_global_id(0);
  if (i < count)
    sum[i] = x[i] * factor + (i == 17 ? 2.0f : 1.0f);
}
