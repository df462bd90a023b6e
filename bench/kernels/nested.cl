// Launches from a kernel: a chain, and many at once. Each increments the counter; `left` is the number of launches that
// remain.
void link_(global int *counter, int left, int items) {
  if (get_global_id(0))
    return;
  atomic_inc(counter);
  if (left > 0)
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(items), ^{ link_(counter, left - 1, items); });
}
kernel void chain(global int *counter, int left, int items) { link_(counter, left, items); }

kernel void spread(global int *counter, int launches, int items) {
  for (int i = 0; i < launches; ++i)
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(items), ^{
      if (!get_global_id(0))
        atomic_inc(counter);
    });
}
