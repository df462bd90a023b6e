// Bodies that pull and push each other.
#pragma once
#include "bench/Vectors.h"
#include "bench/native/Range.h"

namespace bench::native {

/// Coordinates and masses of bodies in rows of their own, as loops over them want it.
struct Rows4 {
  float *x, *y, *z, *w;
};
void split(const Vector4 *from, Rows4 to, Range range);
/// The pull of all `count` bodies on those of the range.
void accelerate(Rows4 bodies, Vector4 *accelerations, size_t count, float softening, Range range);

} // namespace bench::native
