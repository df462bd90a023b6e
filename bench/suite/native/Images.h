// The kernels of the image benchmarks as plain C++ loops over memory, each for some rows of the result.
#pragma once
#include "bench/suite/Texels.h"
#include "bench/suite/native/Range.h"

namespace bench::native {

void turnLinearEdges(const Bytes4 *from, Bytes4 *to, size_t side, Turn turn, Rows rows);
void turnLinearRepeat(const Bytes4 *from, Bytes4 *to, size_t side, Turn turn, Rows rows);
void turnNearest(const Floats4 *from, Floats4 *to, size_t side, Turn turn, Rows rows);
void convolve(const Bytes4 *from, Bytes4 *to, size_t side, const float *weights, Rows rows);
void convolve(const float *from, float *to, size_t side, const float *weights, Rows rows);
/// `side` is the side of `to`.
void halve(const Bytes4 *from, Bytes4 *to, size_t side, Rows rows);
/// Copies `width` texels per row; rows begin `fromPitch` and `toPitch` texels apart.
void copy(const Bytes4 *from, size_t fromPitch, Bytes4 *to, size_t toPitch, size_t width, Rows rows);
void fill(Bytes4 *to, size_t side, Floats4 color, Rows rows);
void fill(Floats4 *to, size_t side, Floats4 color, Rows rows);

} // namespace bench::native
