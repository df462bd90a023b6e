// Compiled for the building machine's own processor; includes nothing of the C++ library, see Images.cpp.
#include "bench/native/Particles.h"
#include <math.h>

namespace bench::native {

void split(const Vector4 *from, Rows4 to, Range range) {
#pragma omp simd
  for (size_t i = range.first; i < range.end; ++i) {
    to.x[i] = from[i].x;
    to.y[i] = from[i].y;
    to.z[i] = from[i].z;
    to.w[i] = from[i].w;
  }
}

void accelerate(Rows4 bodies, Vector4 *accelerations, size_t count, float softening, Range range) {
  for (size_t i = range.first; i < range.end; ++i) {
    float ax = 0, ay = 0, az = 0, x = bodies.x[i], y = bodies.y[i], z = bodies.z[i];
#pragma omp simd reduction(+ : ax, ay, az)
    for (size_t k = 0; k < count; ++k) {
      float dx = bodies.x[k] - x, dy = bodies.y[k] - y, dz = bodies.z[k] - z;
      float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + softening);
      float pull = bodies.w[k] * inverse * inverse * inverse;
      ax += dx * pull;
      ay += dy * pull;
      az += dz * pull;
    }
    accelerations[i] = {ax, ay, az, 0.0f};
  }
}

} // namespace bench::native
