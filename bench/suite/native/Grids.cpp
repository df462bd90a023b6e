// Compiled with -march=native; includes no C++ library header, see Images.cpp.
#include "bench/suite/native/Grids.h"

namespace bench::native {

void jacobi(const float *from, float *to, size_t width, Rows inner) {
  for (size_t row = inner.first; row < inner.end; ++row)
#pragma omp simd
    for (size_t at = row * width + 1; at < (row + 1) * width - 1; ++at)
      to[at] = 0.25f * (from[at - 1] + from[at + 1] + from[at - width] + from[at + width]);
}

void diffuse(const float *from, float *to, size_t width, size_t height, float rate, Rows rows) {
  for (size_t row = rows.first; row < rows.end; ++row) {
    const float *here = from + row * width, *above = row ? here - width : here;
    const float *below = row + 1 < height ? here + width : here;
    float *out = to + row * width;
    auto stepped = [&](size_t x, size_t left, size_t right) {
      return here[x] + rate * (here[left] + here[right] + above[x] + below[x] - 4.0f * here[x]);
    };
    out[0] = stepped(0, 0, 1);
#pragma omp simd
    for (size_t x = 1; x < width - 1; ++x)
      out[x] = stepped(x, x - 1, x + 1);
    out[width - 1] = stepped(width - 1, width - 2, width - 1);
  }
}

void stencil3d(const float *from, float *to, size_t side, float near, float far, Range inner) {
  size_t plane = side * side;
  for (size_t z = inner.first; z < inner.end; ++z)
    for (size_t y = 1; y < side - 1; ++y)
#pragma omp simd
      for (size_t at = z * plane + y * side + 1; at < z * plane + (y + 1) * side - 1; ++at)
        to[at] = near * from[at] + far * (from[at - 1] + from[at + 1] + from[at - side] + from[at + side] +
                                          from[at - plane] + from[at + plane]);
}

void nearestCentre(const float *points, const float *centres, int32_t *nearest, size_t count, size_t centreCount,
                   size_t features, Range range) {
  constexpr size_t BlockSize = 32; // points whose distances stay in registers
  for (size_t first = range.first; first < range.end; first += BlockSize) {
    float least[BlockSize] = {};
    int32_t which[BlockSize] = {};
    for (size_t centre = 0; centre < centreCount; ++centre) {
      float distance[BlockSize] = {};
      for (size_t feature = 0; feature < features; ++feature) {
        const float *values = points + feature * count + first;
        float middle = centres[centre * features + feature];
#pragma omp simd
        for (size_t i = 0; i < BlockSize; ++i)
          distance[i] += (values[i] - middle) * (values[i] - middle);
      }
#pragma omp simd
      for (size_t i = 0; i < BlockSize; ++i) {
        bool nearer = !centre || distance[i] < least[i];
        least[i] = nearer ? distance[i] : least[i];
        which[i] = nearer ? int32_t(centre) : which[i];
      }
    }
    for (size_t i = 0; i < BlockSize; ++i)
      nearest[first + i] = which[i];
  }
}

} // namespace bench::native
