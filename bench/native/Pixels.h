// Pictures whose pixels take different times.
#pragma once
#include "bench/Vectors.h"
#include "bench/native/Range.h"
#include <stdint.h>

namespace bench::native {

/// The iteration at which each point left the circle of radius 2, or `limit`. The width is a multiple of 16.
void mandelbrot(int32_t *counts, size_t width, Plane plane, int32_t limit, Rows rows);

} // namespace bench::native
