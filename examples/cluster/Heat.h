// The problem that stencil.cpp and plain_stencil.cpp solve: the heat equation in a box.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdlib>

namespace cluster {

inline constexpr float Rate = 0.125f; // stable below 1/6

struct Box {
  int nx, ny, nz;
  size_t plane() const { return size_t(nx) * size_t(ny); }
  size_t cells() const { return plane() * size_t(nz); }
};

inline float initial(const Box &box, int x, int y, int z) {
  const bool hot = std::abs(2 * x - box.nx) < box.nx / 2 && std::abs(2 * y - box.ny) < box.ny / 2;
  return (hot ? 100.0f : 0.0f) + float((x * 7 + y * 13 + z * 29) % 32) / 16;
}

} // namespace cluster
