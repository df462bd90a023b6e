// One step of the heat equation on a slab of nx * ny * nz cells; x is the fastest dimension. `below` and `above` are the
// neighbours' planes. Cells outside the domain are 0. The step also writes the slab's own outer planes, which the
// neighbours read: only planes travel between ranks.
#pragma OPENCL FP_CONTRACT OFF

kernel void heat(global const float *old, global const float *below, global const float *above, global float *slab,
                 global float *bottom, global float *top, int nz, float rate) {
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  int nx = get_global_size(0), ny = get_global_size(1);
  int plane = nx * ny, inPlane = y * nx + x, cell = z * plane + inPlane;
  float here = old[cell];
  float west = x > 0 ? old[cell - 1] : 0.0f, east = x < nx - 1 ? old[cell + 1] : 0.0f;
  float south = y > 0 ? old[cell - nx] : 0.0f, north = y < ny - 1 ? old[cell + nx] : 0.0f;
  float down = z > 0 ? old[cell - plane] : below[inPlane], up = z < nz - 1 ? old[cell + plane] : above[inPlane];
  float sum = ((west + east) + (south + north)) + (down + up);
  float next = fma(rate, fma(-6.0f, here, sum), here);
  slab[cell] = next;
  if (z == 0)
    bottom[inPlane] = next;
  if (z == nz - 1)
    top[inPlane] = next;
}
