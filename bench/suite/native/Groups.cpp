// Compiled with -march=native; includes no C++ library header, see Images.cpp.
#include "bench/suite/native/Groups.h"

namespace bench::native {
namespace {
void addCounts(const uint32_t (&counts)[4][256], uint32_t *bins) {
  for (int bin = 0; bin < 256; ++bin)
    __atomic_fetch_add(&bins[bin], counts[0][bin] + counts[1][bin] + counts[2][bin] + counts[3][bin], __ATOMIC_RELAXED);
}
} // namespace

void reduce(const float *in, float *sums, size_t size, Range groups) {
  for (size_t group = groups.first; group < groups.end; ++group) {
    const float *from = in + group * size;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < size; ++i)
      sum += from[i];
    sums[group] = sum;
  }
}

void scan(const uint32_t *in, uint32_t *out, size_t size, Range groups) {
  for (size_t group = groups.first; group < groups.end; ++group) {
    uint32_t sum = 0;
    for (size_t i = group * size; i < (group + 1) * size; ++i)
      out[i] = sum += in[i];
  }
}

void scanExclusive(const uint32_t *in, uint32_t *out, size_t size, Range groups) {
  for (size_t group = groups.first; group < groups.end; ++group) {
    uint32_t sum = 0;
    for (size_t i = group * size; i < (group + 1) * size; ++i) {
      out[i] = sum;
      sum += in[i];
    }
  }
}

void dotProducts(const float *x, const float *y, float *sums, size_t size, size_t count, Range groups) {
  for (size_t group = groups.first; group < groups.end; ++group) {
    size_t first = group * size, end = first + size < count ? first + size : count;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = first; i < end; ++i)
      sum += x[i] * y[i];
    sums[group] = sum;
  }
}

void histogram(const uint32_t *words, uint32_t *bins, Range range) {
  // One table per byte of a word, so that equal adjacent bytes do not depend on each other's count.
  uint32_t counts[4][256] = {};
  for (size_t i = range.first; i < range.end; ++i)
    for (int byte = 0; byte < 4; ++byte)
      ++counts[byte][words[i] >> 8 * byte & 255];
  addCounts(counts, bins);
}

void byteHistogram(const uint8_t *bytes, uint32_t *bins, Range range) {
  uint32_t counts[4][256] = {};
  for (size_t i = range.first; i < range.end; ++i)
    ++counts[i % 4][bytes[i]];
  addCounts(counts, bins);
}

void bitonicStep(uint32_t *keys, uint32_t distance, uint32_t run, Range pairs) {
  for (size_t pair = pairs.first; pair < pairs.end;) {
    // Consecutive pairs whose left keys are adjacent and whose direction is the same.
    size_t inside = pair & (distance - 1), left = 2 * pair - inside;
    size_t count = distance - inside < pairs.end - pair ? distance - inside : pairs.end - pair;
    uint32_t *low = keys + left, *high = low + distance;
    bool up = !(left & run);
#pragma omp simd
    for (size_t i = 0; i < count; ++i) {
      uint32_t less = low[i] < high[i] ? low[i] : high[i], more = low[i] < high[i] ? high[i] : low[i];
      low[i] = up ? less : more;
      high[i] = up ? more : less;
    }
    pair += count;
  }
}

void sortGroups(const uint32_t *in, uint32_t *out, size_t size, Range groups) {
  for (size_t group = groups.first; group < groups.end; ++group) {
    uint32_t *keys = out + group * size;
    for (size_t i = 0; i < size; ++i)
      keys[i] = in[group * size + i];
    for (size_t run = 2; run <= size; run *= 2)
      for (size_t distance = run / 2; distance; distance /= 2)
        bitonicStep(keys, uint32_t(distance), uint32_t(run), {0, size / 2});
  }
}

void editDistances(const uint8_t *a, const uint8_t *b, int32_t *distances, size_t length, Range pairs) {
  int32_t above[1024]; // the row above, without its first column
  for (size_t pair = pairs.first; pair < pairs.end; ++pair) {
    const uint8_t *from = a + pair * length, *to = b + pair * length;
    for (size_t column = 0; column < length; ++column)
      above[column] = int32_t(column) + 1;
    for (size_t row = 0; row < length; ++row) {
      int32_t left = int32_t(row) + 1, corner = int32_t(row);
      for (size_t column = 0; column < length; ++column) {
        int32_t up = above[column], least = up < left ? up : left, replaced = corner + (from[row] != to[column]);
        left = least + 1 < replaced ? least + 1 : replaced;
        corner = up;
        above[column] = left;
      }
    }
    distances[pair] = above[length - 1];
  }
}

} // namespace bench::native
