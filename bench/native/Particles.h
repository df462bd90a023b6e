// Bodies that pull and push each other.
#pragma once
#include "bench/Vectors.h"
#include "bench/native/Range.h"
#include <stdint.h>

namespace bench::native {

/// Coordinates and masses of bodies in rows of their own, as loops over them want it.
struct Rows4 {
  float *x, *y, *z, *w;
};
void split(const Vector4 *from, Rows4 to, Range range);
/// The pull of all `count` bodies on those of the range.
void accelerate(Rows4 bodies, Vector4 *accelerations, size_t count, float softening, Range range);

/// Forces by `most` neighbours an atom, inside a cutoff of squares of distances. Neighbour k of atom i is at
/// neighbours[k * count + i]. Forces go as a / r^12 - b / r^6 goes.
struct Forces {
  float cutoff, a, b;
};
void lennardJones(const Vector4 *atoms, const int32_t *neighbours, Vector4 *forces, size_t most, Forces law,
                  size_t count, Range range);

} // namespace bench::native
