kernel void add(global float *sum, global const float *x, float factor, int count) {
  int i = get_global_id(0);
  if (i >= count)
    return;
  float value = x[i] * factor + 1.0f;
  for (int k = 0; k < count / 64; ++k)
    value = value * 1.0001f;
  sum[i] = value;
}
