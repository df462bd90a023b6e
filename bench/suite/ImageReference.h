// Expected results of the image benchmarks, in plain C++ and double precision. Each function compares a device's result
// within the tolerance of the specification.
#pragma once
#include "bench/suite/Texels.h"
#include <vector>

namespace bench {

std::vector<Bytes4> randomBytes4(size_t count, uint32_t seed);
/// Whole numbers, so that a texel that is only copied has one correct value.
std::vector<Floats4> wholeFloats4(size_t count, uint32_t seed);

/// A rotation about the centre of a picture of `side` texels, in texels. Both factors are whole 256ths and `side` is a
/// power of two. So coordinates are exact in float, normalized or not, with and without fused operations.
Turn turnAbout(size_t side, float cosine, float sine);
/// The same rotation for normalized coordinates.
Turn normalized(Turn turn, size_t side);

enum class Address { ClampToEdge, Repeat };

bool isTurnedLinear(const std::vector<Bytes4> &from, const std::vector<Bytes4> &got, size_t side, Turn turn,
                    Address address);
bool isTurnedNearest(const std::vector<Floats4> &from, const std::vector<Floats4> &got, size_t side, Turn turn);

/// 25 different weights whose sum is 1, so that a transposed or shifted window changes the result.
std::vector<float> windowWeights();
bool isConvolved(const std::vector<Bytes4> &from, const std::vector<Bytes4> &got, size_t side,
                 const std::vector<float> &weights);
bool isConvolved(const std::vector<float> &from, const std::vector<float> &got, size_t side,
                 const std::vector<float> &weights);

/// `side` is the side of `got`, half the side of `from`.
bool isHalved(const std::vector<Bytes4> &from, const std::vector<Bytes4> &got, size_t side);

} // namespace bench
