// Pictures whose pixels take different numbers of iterations.
#pragma once
#include "bench/suite/Vectors.h"
#include "bench/suite/native/Range.h"
#include <stdint.h>

namespace bench::native {

/// The iteration at which each point leaves the circle of radius 2, or `limit`. The width is a multiple of 16.
void mandelbrot(int32_t *counts, size_t width, Plane plane, int32_t limit, Rows rows);

/// Spheres (w is the radius), their colours (w is the reflected fraction), and the direction to the light.
struct Scene {
  const Vector4 *spheres, *colours;
  int count;
  Vector4 light;
};
/// Draws the scene as the kernel does, with at most `depth` reflections. The width is a multiple of 16.
void trace(Scene scene, int depth, Vector4 *picture, size_t width, size_t height, Rows rows);

} // namespace bench::native
