// Forces between particles.
#pragma once
#include "bench/suite/Vectors.h"
#include "bench/suite/native/Range.h"
#include <stdint.h>

namespace bench::native {

/// Coordinates and masses of bodies in separate arrays, so that loops over bodies load consecutive elements.
struct Rows4 {
  float *x, *y, *z, *w;
};
void split(const Vector4 *from, Rows4 to, Range range);
/// The acceleration of the bodies in the range due to all `count` bodies.
void accelerate(Rows4 bodies, Vector4 *accelerations, size_t count, float softening, Range range);

/// Forces of up to `maxNeighbours` neighbours per atom whose squared distance is below the cutoff. Neighbour k of atom
/// i is at neighbours[k * count + i]. The potential is a / r^12 - b / r^6, up to constant factors.
struct Forces {
  float cutoff, a, b;
};
void lennardJones(const Vector4 *atoms, const int32_t *neighbours, Vector4 *forces, size_t maxNeighbours, Forces law,
                  size_t count, Range range);

} // namespace bench::native
