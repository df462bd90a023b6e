// Stencils on grids, and k-means.
#pragma once
#include "bench/suite/native/Range.h"
#include <stdint.h>

namespace bench::native {

/// The mean of the four neighbours; the edge is unchanged. The range counts inner rows.
void jacobi(const float *from, float *to, size_t width, Rows inner);
/// One step of diffusion; a point outside of the grid has the value of the nearest point inside. The width is at
/// least 2.
void diffuse(const float *from, float *to, size_t width, size_t height, float rate, Rows rows);
/// near * the point + far * the sum of its six neighbours, in a cube. The range counts inner planes.
void stencil3d(const float *from, float *to, size_t side, float near, float far, Range inner);
/// The index of the nearest centre of each point. Feature f of point i is at points[f * count + i]; the range begins
/// and ends at multiples of 32.
void nearestCentre(const float *points, const float *centres, int32_t *nearest, size_t count, size_t centreCount,
                   size_t features, Range range);

} // namespace bench::native
