// The iteration at which a point leaves the circle of radius 2; it differs between adjacent work-items.
__kernel void mandelbrot(__global int *counts, float left, float top, float step, int limit) {
  size_t column = get_global_id(0), row = get_global_id(1);
  float cx = left + step * (float)column, cy = top + step * (float)row;
  float x = 0.0f, y = 0.0f;
  int count = 0;
  while (count < limit && x * x + y * y <= 4.0f) {
    float next = x * x - y * y + cx;
    y = 2.0f * x * y + cy;
    x = next;
    ++count;
  }
  counts[row * get_global_size(0) + column] = count;
}
