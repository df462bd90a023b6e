// Compiled with -march=native; includes no C++ library header, see Images.cpp.
#include "bench/suite/native/Dense.h"

namespace bench::native {

void matmul(const float *a, const float *b, float *c, size_t n, Range rowBlocks) {
  constexpr size_t Rows = 4, Columns = 16; // 64 sums, which fit in the registers
  for (size_t row = rowBlocks.first * Rows; row < rowBlocks.end * Rows; row += Rows)
    for (size_t column = 0; column < n; column += Columns) {
      float sums[Rows][Columns] = {};
      for (size_t k = 0; k < n; ++k)
        for (size_t y = 0; y < Rows; ++y)
#pragma omp simd
          for (size_t x = 0; x < Columns; ++x)
            sums[y][x] += a[(row + y) * n + k] * b[k * n + column + x];
      for (size_t y = 0; y < Rows; ++y)
        for (size_t x = 0; x < Columns; ++x)
          c[(row + y) * n + column + x] = sums[y][x];
    }
}

void transpose(const float *from, float *to, size_t width, size_t height, Range rowBlocks) {
  constexpr size_t Tile = 16;
  for (size_t top = rowBlocks.first * Tile; top < rowBlocks.end * Tile; top += Tile)
    for (size_t left = 0; left < width; left += Tile)
      for (size_t column = left; column < left + Tile; ++column)
        for (size_t row = top; row < top + Tile; ++row)
          to[column * height + row] = from[row * width + column];
}

void matvec(const float *a, const float *x, float *y, size_t columns, Rows rows) {
  for (size_t row = rows.first; row < rows.end; ++row) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t k = 0; k < columns; ++k)
      sum += a[row * columns + k] * x[k];
    y[row] = sum;
  }
}

void shortenOver(uint32_t *distances, size_t nodes, size_t middle, Rows rows) {
  const uint32_t *fromMiddle = distances + middle * nodes;
  for (size_t row = rows.first; row < rows.end; ++row) {
    uint32_t *fromRow = distances + row * nodes, toMiddle = fromRow[middle];
    // If both rows are the same, the step changes nothing, so `omp simd` is correct.
#pragma omp simd
    for (size_t column = 0; column < nodes; ++column) {
      uint32_t length = toMiddle + fromMiddle[column];
      fromRow[column] = length < fromRow[column] ? length : fromRow[column];
    }
  }
}

void quantizedMatvec(const int8_t *a, const float *scales, const float *x, float *y, size_t columns, Rows rows) {
  for (size_t row = rows.first; row < rows.end; ++row) {
    float sum = 0;
    for (size_t block = 0; block < columns / QuantizedBlock; ++block) {
      const int8_t *from = a + row * columns + block * QuantizedBlock;
      const float *by = x + block * QuantizedBlock;
      float part = 0;
#pragma omp simd reduction(+ : part)
      for (size_t k = 0; k < QuantizedBlock; ++k)
        part += float(from[k]) * by[k];
      sum += scales[row * (columns / QuantizedBlock) + block] * part;
    }
    y[row] = sum;
  }
}

} // namespace bench::native
