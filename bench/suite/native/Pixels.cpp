// Compiled with -march=native; includes no C++ library header, see Images.cpp.
//
// Compilers do not vectorise a loop around an inner loop with a data-dependent exit. So blocks of 16 adjacent pixels
// are iterated together, in arrays that fit in registers, until the last pixel is done.
#include "bench/suite/native/Pixels.h"
#include <math.h>

namespace bench::native {
namespace {
constexpr size_t BlockSize = 16;

struct Vectors {
  float x[BlockSize], y[BlockSize], z[BlockSize];
};

// The distance and the index of the first sphere on each ray; the index is -1 if the ray meets none.
void nearest(const Scene &scene, const Vectors &from, const Vectors &direction, float *distance, int32_t *which) {
  for (size_t i = 0; i < BlockSize; ++i) {
    distance[i] = 1e9f;
    which[i] = -1;
  }
  for (int sphere = 0; sphere < scene.count; ++sphere) {
    Vector4 s = scene.spheres[sphere];
#pragma omp simd
    for (size_t i = 0; i < BlockSize; ++i) {
      float x = s.x - from.x[i], y = s.y - from.y[i], z = s.z - from.z[i];
      float along = x * direction.x[i] + y * direction.y[i] + z * direction.z[i];
      float inside = s.w * s.w - (x * x + y * y + z * z) + along * along;
      float at = along - sqrtf(inside > 0.0f ? inside : 0.0f);
      bool met = (inside >= 0.0f) & (at > 1e-3f) & (at < distance[i]);
      distance[i] = met ? at : distance[i];
      which[i] = met ? sphere : which[i];
    }
  }
}
} // namespace

void mandelbrot(int32_t *counts, size_t width, Plane plane, int32_t limit, Rows rows) {
  for (size_t row = rows.first; row < rows.end; ++row)
    for (size_t column = 0; column < width; column += BlockSize) {
      float cx[BlockSize], cy = plane.top + plane.step * float(row), x[BlockSize] = {}, y[BlockSize] = {};
      int32_t count[BlockSize] = {};
      for (size_t i = 0; i < BlockSize; ++i)
        cx[i] = plane.left + plane.step * float(column + i);
      for (int32_t iteration = 0; iteration < limit; ++iteration) {
        int32_t inside = 0;
#pragma omp simd reduction(+ : inside)
        for (size_t i = 0; i < BlockSize; ++i) {
          // Points outside diverge to infinity or NaN, and stay outside.
          int32_t in = x[i] * x[i] + y[i] * y[i] <= 4.0f;
          float next = x[i] * x[i] - y[i] * y[i] + cx[i];
          y[i] = 2.0f * x[i] * y[i] + cy;
          x[i] = next;
          count[i] += in;
          inside += in;
        }
        if (!inside)
          break;
      }
      for (size_t i = 0; i < BlockSize; ++i)
        counts[row * width + column + i] = count[i];
    }
}

void trace(Scene scene, int depth, Vector4 *picture, size_t width, size_t height, Rows rows) {
  for (size_t row = rows.first; row < rows.end; ++row)
    for (size_t column = 0; column < width; column += BlockSize) {
      Vectors from = {}, direction, colour = {}, light;
      float share[BlockSize];
      for (size_t i = 0; i < BlockSize; ++i) {
        float x = float(2 * int(column + i) - int(width)) / float(height);
        float y = float(int(height) - 2 * int(row)) / float(height), z = -1.5f;
        float scale = 1.0f / sqrtf(x * x + y * y + z * z);
        direction.x[i] = x * scale, direction.y[i] = y * scale, direction.z[i] = z * scale;
        light.x[i] = scene.light.x, light.y[i] = scene.light.y, light.z[i] = scene.light.z;
        share[i] = 1.0f;
      }
      for (int bounce = 0; bounce < depth; ++bounce) {
        float distance[BlockSize], far[BlockSize], lit[BlockSize];
        int32_t hit[BlockSize], shadow[BlockSize];
        Vectors normal;
        nearest(scene, from, direction, distance, hit);
        float left = 0.0f;
        for (size_t i = 0; i < BlockSize; ++i) {
          if (hit[i] < 0) {
            float sky = share[i] * (0.5f + 0.5f * direction.y[i]);
            colour.x[i] += sky * 0.5f, colour.y[i] += sky * 0.7f, colour.z[i] += sky;
            share[i] = 0.0f; // the ray stops here and adds no colour from now on
            distance[i] = 0.0f;
            hit[i] = 0;
          }
          left += share[i];
        }
        if (left == 0.0f)
          break;
        for (size_t i = 0; i < BlockSize; ++i) {
          from.x[i] += distance[i] * direction.x[i];
          from.y[i] += distance[i] * direction.y[i];
          from.z[i] += distance[i] * direction.z[i];
          Vector4 sphere = scene.spheres[hit[i]];
          normal.x[i] = (from.x[i] - sphere.x) / sphere.w;
          normal.y[i] = (from.y[i] - sphere.y) / sphere.w;
          normal.z[i] = (from.z[i] - sphere.z) / sphere.w;
          lit[i] = normal.x[i] * light.x[i] + normal.y[i] * light.y[i] + normal.z[i] * light.z[i];
        }
        nearest(scene, from, light, far, shadow);
        for (size_t i = 0; i < BlockSize; ++i) {
          Vector4 paint = scene.colours[hit[i]];
          float bright = lit[i] > 0.0f && shadow[i] < 0 ? lit[i] : 0.0f;
          float own = share[i] * (1.0f - paint.w) * (0.1f + 0.9f * bright);
          colour.x[i] += own * paint.x, colour.y[i] += own * paint.y, colour.z[i] += own * paint.z;
          share[i] *= paint.w;
          float back =
              share[i] == 0.0f
                  ? 0.0f
                  : 2.0f * (direction.x[i] * normal.x[i] + direction.y[i] * normal.y[i] + direction.z[i] * normal.z[i]);
          direction.x[i] -= back * normal.x[i], direction.y[i] -= back * normal.y[i],
              direction.z[i] -= back * normal.z[i];
        }
      }
      for (size_t i = 0; i < BlockSize; ++i)
        picture[row * width + column + i] = {colour.x[i], colour.y[i], colour.z[i], 1.0f};
    }
}

} // namespace bench::native
