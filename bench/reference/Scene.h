// Spheres under a light.
#pragma once
#include "bench/Vectors.h"
#include <cstddef>
#include <vector>

namespace bench {

/// Radii of spheres, and what a colour shows of what is mirrored, are in w. The last sphere is the ground.
struct Spheres {
  std::vector<Vector4> spheres, colours;
  Vector4 light;
};
Spheres spheresOnGround(size_t count);

/// A row of the picture that the kernel draws of them, in double precision.
std::vector<Vector4> traceRow(const Spheres &scene, int depth, size_t width, size_t height, size_t row);

} // namespace bench
