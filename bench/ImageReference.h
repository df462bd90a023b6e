// What the image benchmarks should compute, in plain C++ and double precision. Each function compares a result with it,
// to within what the specification leaves to a device.
#pragma once
#include "bench/Texels.h"
#include <vector>

namespace bench {

std::vector<Bytes4> randomBytes4(size_t count, uint32_t seed);
/// Whole numbers, so that a texel which is only moved has to arrive as it was.
std::vector<Floats4> wholeFloats4(size_t count, uint32_t seed);

/// A turn about the middle of a picture of `side` texels, in texels. Both factors are whole numbers of 256ths and
/// `side` is a power of two: coordinates are then exact in float, normalized or not, whatever the device fuses.
Turn turnAbout(size_t side, float cosine, float sine);
/// For normalized coordinates.
Turn normalized(Turn turn, size_t side);

enum class Address { ClampToEdge, Repeat };

bool isTurnedLinear(const std::vector<Bytes4> &from, const std::vector<Bytes4> &got, size_t side, Turn turn,
                    Address address);
bool isTurnedNearest(const std::vector<Floats4> &from, const std::vector<Floats4> &got, size_t side, Turn turn);

/// 25 different weights whose sum is 1: a window that is transposed or shifted gives another result.
std::vector<float> windowWeights();
bool isConvolved(const std::vector<Bytes4> &from, const std::vector<Bytes4> &got, size_t side,
                 const std::vector<float> &weights);
bool isConvolved(const std::vector<float> &from, const std::vector<float> &got, size_t side,
                 const std::vector<float> &weights);

/// `side` is that of `got`, half of that of `from`.
bool isHalved(const std::vector<Bytes4> &from, const std::vector<Bytes4> &got, size_t side);

} // namespace bench
