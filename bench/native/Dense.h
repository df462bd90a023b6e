// Matrices, rows first.
#pragma once
#include "bench/native/Range.h"
#include <stdint.h>

namespace bench::native {

/// Rows of c = a * b for squares of side n, a multiple of 16; the range is one of rows by fours.
void matmul(const float *a, const float *b, float *c, size_t n, Range fours);
/// Rows of `from` become columns of `to`; sides are multiples of 16, the range is one of sixteens of rows.
void transpose(const float *from, float *to, size_t width, size_t height, Range sixteens);
/// y = a * x
void matvec(const float *a, const float *x, float *y, size_t columns, Rows rows);
/// The step of Floyd and Warshall that lets paths lead over `middle`.
void shortenOver(uint32_t *distances, size_t nodes, size_t middle, Rows rows);

} // namespace bench::native
