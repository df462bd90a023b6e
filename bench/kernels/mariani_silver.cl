// The Mandelbrot set by subdivision (Mariani-Silver). If all border points of a square leave the circle at the same
// iteration, so do all inner points; else four child kernels compute the quarters. Counts failed enqueues in `errors`.
typedef struct {
  float left, top, step;
  int limit, width;
} Plane;

int iterations(Plane plane, int column, int row) {
  float cx = plane.left + plane.step * (float)column, cy = plane.top + plane.step * (float)row;
  float x = 0.0f, y = 0.0f;
  int count = 0;
  while (count < plane.limit && x * x + y * y <= 4.0f) {
    float next = x * x - y * y + cx;
    y = 2.0f * x * y + cy;
    x = next;
    ++count;
  }
  return count;
}

// Runs in one work-group of 64 work-items.
void square(global int *counts, Plane plane, int left, int top, int size, global int *errors, local int *range) {
  const int item = get_local_id(0), items = get_local_size(0);
  if (size <= 16) {
    for (int i = item; i < size * size; i += items)
      counts[(top + i / size) * plane.width + left + i % size] = iterations(plane, left + i % size, top + i / size);
    return;
  }
  if (item == 0) {
    range[0] = INT_MAX;
    range[1] = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = item; i < 4 * size; i += items) {
    int along = i % size, side = i / size;
    int column = left + (side == 0 ? 0 : side == 1 ? size - 1 : along);
    int row = top + (side == 2 ? 0 : side == 3 ? size - 1 : along);
    int count = iterations(plane, column, row);
    counts[row * plane.width + column] = count;
    atomic_min(&range[0], count);
    atomic_max(&range[1], count);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (range[0] == range[1]) {
    for (int i = item; i < size * size; i += items)
      counts[(top + i / size) * plane.width + left + i % size] = range[0];
  } else if (item < 4) {
    int half_ = size / 2, x = left + item % 2 * half_, y = top + item / 2 * half_;
    if (enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(64, 64), ^(local void *memory) {
          square(counts, plane, x, y, half_, errors, (local int *)memory);
        }, (uint)(2 * sizeof(int))))
      atomic_inc(errors);
  }
}

kernel void mariani_silver(global int *counts, int width, float left, float top, float step, int limit,
                           global int *errors) {
  Plane plane = {left, top, step, limit, width};
  if (enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(64, 64), ^(local void *memory) {
        square(counts, plane, 0, 0, width, errors, (local int *)memory);
      }, (uint)(2 * sizeof(int))))
    atomic_inc(errors);
}
