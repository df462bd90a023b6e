// Compiled for the building machine's own processor; includes nothing of the C++ library, see Images.cpp.
//
// Compilers vectorise no loop around one that ends by what it computed. So neighbours are iterated together, in arrays
// that are small enough for registers, until the last of them is done.
#include "bench/native/Pixels.h"
#include <math.h>

namespace bench::native {
namespace {
constexpr size_t Together = 16;

struct Vectors {
  float x[Together], y[Together], z[Together];
};

// How far along its way each ray meets the next sphere, and which; what is not met is -1.
void nearest(const Scene &scene, const Vectors &from, const Vectors &way, float *distance, int32_t *which) {
  for (size_t i = 0; i < Together; ++i) {
    distance[i] = 1e9f;
    which[i] = -1;
  }
  for (int sphere = 0; sphere < scene.count; ++sphere) {
    Vector4 s = scene.spheres[sphere];
#pragma omp simd
    for (size_t i = 0; i < Together; ++i) {
      float x = s.x - from.x[i], y = s.y - from.y[i], z = s.z - from.z[i];
      float along = x * way.x[i] + y * way.y[i] + z * way.z[i];
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
    for (size_t column = 0; column < width; column += Together) {
      float cx[Together], cy = plane.top + plane.step * float(row), x[Together] = {}, y[Together] = {};
      int32_t count[Together] = {};
      for (size_t i = 0; i < Together; ++i)
        cx[i] = plane.left + plane.step * float(column + i);
      for (int32_t iteration = 0; iteration < limit; ++iteration) {
        int32_t inside = 0;
#pragma omp simd reduction(+ : inside)
        for (size_t i = 0; i < Together; ++i) {
          // Points outside go on to infinity and NaN, and neither comes back inside.
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
      for (size_t i = 0; i < Together; ++i)
        counts[row * width + column + i] = count[i];
    }
}

void trace(Scene scene, int depth, Vector4 *picture, size_t width, size_t height, Rows rows) {
  for (size_t row = rows.first; row < rows.end; ++row)
    for (size_t column = 0; column < width; column += Together) {
      Vectors from = {}, way, colour = {}, light;
      float share[Together];
      for (size_t i = 0; i < Together; ++i) {
        float x = float(2 * int(column + i) - int(width)) / float(height);
        float y = float(int(height) - 2 * int(row)) / float(height), z = -1.5f;
        float scale = 1.0f / sqrtf(x * x + y * y + z * z);
        way.x[i] = x * scale, way.y[i] = y * scale, way.z[i] = z * scale;
        light.x[i] = scene.light.x, light.y[i] = scene.light.y, light.z[i] = scene.light.z;
        share[i] = 1.0f;
      }
      for (int bounce = 0; bounce < depth; ++bounce) {
        float distance[Together], far[Together], lit[Together];
        int32_t hit[Together], shadow[Together];
        Vectors normal;
        nearest(scene, from, way, distance, hit);
        float left = 0.0f;
        for (size_t i = 0; i < Together; ++i) {
          if (hit[i] < 0) {
            float sky = share[i] * (0.5f + 0.5f * way.y[i]);
            colour.x[i] += sky * 0.5f, colour.y[i] += sky * 0.7f, colour.z[i] += sky;
            share[i] = 0.0f; // it stays where it is and shows nothing from now on
            distance[i] = 0.0f;
            hit[i] = 0;
          }
          left += share[i];
        }
        if (left == 0.0f)
          break;
        for (size_t i = 0; i < Together; ++i) {
          from.x[i] += distance[i] * way.x[i];
          from.y[i] += distance[i] * way.y[i];
          from.z[i] += distance[i] * way.z[i];
          Vector4 sphere = scene.spheres[hit[i]];
          normal.x[i] = (from.x[i] - sphere.x) / sphere.w;
          normal.y[i] = (from.y[i] - sphere.y) / sphere.w;
          normal.z[i] = (from.z[i] - sphere.z) / sphere.w;
          lit[i] = normal.x[i] * light.x[i] + normal.y[i] * light.y[i] + normal.z[i] * light.z[i];
        }
        nearest(scene, from, light, far, shadow);
        for (size_t i = 0; i < Together; ++i) {
          Vector4 paint = scene.colours[hit[i]];
          float bright = lit[i] > 0.0f && shadow[i] < 0 ? lit[i] : 0.0f;
          float own = share[i] * (1.0f - paint.w) * (0.1f + 0.9f * bright);
          colour.x[i] += own * paint.x, colour.y[i] += own * paint.y, colour.z[i] += own * paint.z;
          share[i] *= paint.w;
          float back = share[i] == 0.0f
                           ? 0.0f
                           : 2.0f * (way.x[i] * normal.x[i] + way.y[i] * normal.y[i] + way.z[i] * normal.z[i]);
          way.x[i] -= back * normal.x[i], way.y[i] -= back * normal.y[i], way.z[i] -= back * normal.z[i];
        }
      }
      for (size_t i = 0; i < Together; ++i)
        picture[row * width + column + i] = {colour.x[i], colour.y[i], colour.z[i], 1.0f};
    }
}

} // namespace bench::native
