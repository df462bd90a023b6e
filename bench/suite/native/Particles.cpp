// Compiled with -march=native; includes no C++ library header, see Images.cpp.
#include "bench/suite/native/Particles.h"
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

void lennardJones(const Vector4 *atoms, const int32_t *neighbours, Vector4 *forces, size_t maxNeighbours, Forces law,
                  size_t count, Range range) {
  constexpr size_t BlockSize = 512; // atoms whose k-th neighbours are processed in one loop
  for (size_t first = range.first; first < range.end; first += BlockSize) {
    size_t here = range.end - first < BlockSize ? range.end - first : BlockSize;
    float fx[BlockSize] = {}, fy[BlockSize] = {}, fz[BlockSize] = {};
    for (size_t k = 0; k < maxNeighbours; ++k)
#pragma omp simd
      for (size_t i = 0; i < here; ++i) {
        const Vector4 &self = atoms[first + i], &other = atoms[neighbours[k * count + first + i]];
        float dx = self.x - other.x, dy = self.y - other.y, dz = self.z - other.z;
        float square = dx * dx + dy * dy + dz * dz;
        float inverse = 1.0f / square;
        float sixth = inverse * inverse * inverse;
        float push = inverse * sixth * (law.a * sixth - law.b);
        push = square < law.cutoff ? push : 0.0f;
        fx[i] += dx * push;
        fy[i] += dy * push;
        fz[i] += dz * push;
      }
    for (size_t i = 0; i < here; ++i)
      forces[first + i] = {fx[i], fy[i], fz[i], 0.0f};
  }
}

} // namespace bench::native
