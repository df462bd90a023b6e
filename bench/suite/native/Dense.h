// Dense row-major matrices.
#pragma once
#include "bench/suite/native/Range.h"
#include <stdint.h>

namespace bench::native {

/// Rows of c = a * b for square matrices whose side n is a multiple of 16. A row block has 4 rows.
void matmul(const float *a, const float *b, float *c, size_t n, Range rowBlocks);
/// Transposes `from` into `to`; both sides are multiples of 16. A row block has 16 rows of `from`.
void transpose(const float *from, float *to, size_t width, size_t height, Range rowBlocks);
/// y = a * x
void matvec(const float *a, const float *x, float *y, size_t columns, Rows rows);
/// One step of Floyd-Warshall: allows paths through `middle`.
void shortenOver(uint32_t *distances, size_t nodes, size_t middle, Rows rows);
/// Elements that share a scale.
constexpr size_t QuantizedBlock = 32;
/// The same with rows of bytes, which are multiplied by the scales of their blocks.
void quantizedMatvec(const int8_t *a, const float *scales, const float *x, float *y, size_t columns, Rows rows);

} // namespace bench::native
