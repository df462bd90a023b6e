// A chain of N dependent operations in each work-item: its time is proportional to N.
kernel void chain(global float *x) {
  float value = x[get_global_id(0)];
  for (int i = 0; i < N; ++i)
    value = value * 0.999f + 0.001f;
  x[get_global_id(0)] = value;
}
