// Spheres under a light.
#pragma once
#include "bench/suite/Vectors.h"
#include <cstddef>
#include <vector>

namespace bench {

/// w of a sphere is its radius, w of a colour the reflected fraction. The last sphere is the ground.
struct Spheres {
  std::vector<Vector4> spheres, colours;
  Vector4 light;
};
Spheres spheresOnGround(size_t count);

/// One row of the kernel's picture of the scene, in double precision.
std::vector<Vector4> traceRow(const Spheres &scene, int depth, size_t width, size_t height, size_t row);

} // namespace bench
