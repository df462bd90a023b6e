// Pictures whose pixels take different times.
#pragma once
#include "bench/Vectors.h"
#include "bench/native/Range.h"
#include <stdint.h>

namespace bench::native {

/// The iteration at which each point left the circle of radius 2, or `limit`. The width is a multiple of 16.
void mandelbrot(int32_t *counts, size_t width, Plane plane, int32_t limit, Rows rows);

/// Spheres with their radii in w, colours with the share that is mirrored in w, and the direction of the light.
struct Scene {
  const Vector4 *spheres, *colours;
  int count;
  Vector4 light;
};
/// The scene as the kernel draws it, mirrors `depth` deep. The width is a multiple of 16.
void trace(Scene scene, int depth, Vector4 *picture, size_t width, size_t height, Rows rows);

} // namespace bench::native
