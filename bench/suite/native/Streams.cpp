// Compiled with -march=native; includes no C++ library header, see Images.cpp.
#include "bench/suite/native/Streams.h"

namespace bench::native {

void triad(float *a, const float *b, const float *c, float scale, Range range) {
#pragma omp simd
  for (size_t i = range.first; i < range.end; ++i)
    a[i] = b[i] + scale * c[i];
}

void saxpy(float a, const float *x, float *y, Range range) {
#pragma omp simd
  for (size_t i = range.first; i < range.end; ++i)
    y[i] += a * x[i];
}

void blendBytes(const uint8_t *a, const uint8_t *b, uint8_t *to, uint8_t alpha, Range range) {
#pragma omp simd
  for (size_t i = range.first; i < range.end; ++i) {
    uint16_t sum = uint16_t(a[i] * alpha + b[i] * (255 - alpha) + 128);
    to[i] = uint8_t(uint16_t(sum + (sum >> 8)) >> 8);
  }
}

void toLowerCase(const uint8_t *from, uint8_t *to, Range range) {
#pragma omp simd
  for (size_t i = range.first; i < range.end; ++i)
    to[i] = from[i] >= 'A' && from[i] <= 'Z' ? uint8_t(from[i] | 0x20) : from[i];
}

uint32_t countPattern(const uint8_t *text, const uint8_t *pattern, size_t length, Range range) {
  uint32_t found = 0;
  for (size_t i = range.first; i < range.end; ++i) {
    size_t same = 0;
    while (same < length && text[i + same] == pattern[same])
      ++same;
    found += same == length;
  }
  return found;
}

void toneCurves(const uint8_t *in, uint8_t *out, const uint8_t *tables, Range pixels) {
  for (size_t i = 4 * pixels.first; i < 4 * pixels.end; i += 4) {
    out[i] = tables[in[i]];
    out[i + 1] = tables[256 + in[i + 1]];
    out[i + 2] = tables[512 + in[i + 2]];
    out[i + 3] = in[i + 3];
  }
}

} // namespace bench::native
