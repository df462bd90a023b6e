// Inputs and expected results of the kernels, in plain C++ on the host.
#pragma once
#include "bench/suite/Vectors.h"
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

/// Small whole numbers, the same in every run. Their sums are exact in float, in any order.
std::vector<float> wholeFloats(size_t count, uint32_t seed);
std::vector<uint32_t> randomWords(size_t count, uint32_t seed);
std::vector<uint8_t> randomBytes(size_t count, uint32_t seed);
/// Random floats in [low, high).
std::vector<float> randomFloats(size_t count, float low, float high, uint32_t seed);

/// One row of a * b for square row-major matrices of side n.
std::vector<float> matrixRow(const std::vector<float> &a, const std::vector<float> &b, size_t n, size_t row);
/// All rows of a * b.
std::vector<float> matrixProduct(const std::vector<float> &a, const std::vector<float> &b, size_t n);

/// The iteration at which each point leaves the circle of radius 2, or `limit`.
std::vector<int32_t> mandelbrot(size_t width, size_t height, Plane plane, int32_t limit);

/// Bodies in a cube; w is the mass.
std::vector<Vector4> bodies(size_t count);
/// The acceleration of the body at `index` due to all bodies, in double precision.
Vector4 acceleration(const std::vector<Vector4> &bodies, size_t index, float softening);

} // namespace bench
