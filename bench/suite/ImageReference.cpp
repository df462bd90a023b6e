#include "bench/suite/ImageReference.h"
#include "bench/suite/Reference.h"
#include <algorithm>
#include <cmath>

namespace bench {
namespace {

/// The allowed error of a conversion from float to UNORM_INT8 (OpenCL C 2.0, image channel data types), and a margin
/// for the float arithmetic before it.
constexpr double Rounding = 0.6 + 0.01;
/// The precision of a linear filter is implementation-defined. GPUs use weights with 8 fraction bits, which are off by
/// up to half a 256th in each direction.
constexpr double Filter = 255.0 / 256;

size_t clamped(double index, size_t side) { return size_t(std::clamp(index, 0.0, double(side - 1))); }

size_t wrapped(double index, size_t side) { return size_t(index - std::floor(index / double(side)) * double(side)); }

/// Verifies a sample of a large picture's rows, with the first and the last, because the host is slow at this.
template <typename Matches> bool everyRow(size_t side, const Matches &matches) {
  size_t step = std::max<size_t>(1, side / 512);
  for (size_t y = 0; y < side; y += step)
    if (!matches(y))
      return false;
  return matches(side - 1);
}

template <typename Texel, typename Matches>
bool everyTexel(const std::vector<Texel> &got, size_t side, const Matches &matches) {
  return got.size() == side * side && everyRow(side, [&](size_t y) {
           for (size_t x = 0; x < side; ++x)
             if (!matches(x, y, got[y * side + x]))
               return false;
           return true;
         });
}

struct Point {
  double u, v;
};
Point sourcePosition(Turn turn, size_t x, size_t y) {
  double centreX = double(x) + 0.5, centreY = double(y) + 0.5;
  return {turn.cosine * centreX - turn.sine * centreY + turn.dx, turn.sine * centreX + turn.cosine * centreY + turn.dy};
}

/// The linearly filtered value, 0 to 255, at a position in texels.
double linear(const std::vector<Bytes4> &from, size_t side, Point at, Address address, int channel) {
  double left = std::floor(at.u - 0.5), top = std::floor(at.v - 0.5), sum = 0;
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 2; ++i) {
      auto index = address == Address::Repeat ? wrapped : clamped;
      size_t x = index(left + i, side), y = index(top + j, side);
      double a = at.u - 0.5 - left, b = at.v - 0.5 - top;
      sum += (i ? a : 1 - a) * (j ? b : 1 - b) * from[y * side + x].c[channel];
    }
  return sum;
}

/// The weighted sum of `value(texel index)` over the window around (x, y).
template <typename Value>
double windowSum(size_t side, size_t x, size_t y, const std::vector<float> &weights, const Value &value) {
  double sum = 0;
  for (int j = 0; j < 5; ++j)
    for (int i = 0; i < 5; ++i)
      sum += weights[size_t(j * 5 + i)] *
             value(clamped(double(y) + j - 2, side) * side + clamped(double(x) + i - 2, side));
  return sum;
}
} // namespace

std::vector<Bytes4> randomBytes4(size_t count, uint32_t seed) {
  std::vector<Bytes4> texels;
  for (uint32_t word : randomWords(count, seed))
    texels.push_back({{uint8_t(word), uint8_t(word >> 8), uint8_t(word >> 16), uint8_t(word >> 24)}});
  return texels;
}

std::vector<Floats4> wholeFloats4(size_t count, uint32_t seed) {
  std::vector<Floats4> texels;
  for (Bytes4 bytes : randomBytes4(count, seed))
    texels.push_back({{float(bytes.c[0]), float(bytes.c[1]), float(bytes.c[2]), float(bytes.c[3])}});
  return texels;
}

Turn turnAbout(size_t side, float cosine, float sine) {
  float middle = float(side) / 2;
  return {cosine, sine, middle - cosine * middle + sine * middle, middle - sine * middle - cosine * middle};
}

Turn normalized(Turn turn, size_t side) {
  float size = float(side);
  return {turn.cosine / size, turn.sine / size, turn.dx / size, turn.dy / size};
}

bool isTurnedLinear(const std::vector<Bytes4> &from, const std::vector<Bytes4> &got, size_t side, Turn turn,
                    Address address) {
  return everyTexel(got, side, [&](size_t x, size_t y, Bytes4 texel) {
    for (int channel = 0; channel < 4; ++channel)
      if (!(std::fabs(texel.c[channel] - linear(from, side, sourcePosition(turn, x, y), address, channel)) <=
            Rounding + Filter))
        return false;
    return true;
  });
}

bool isTurnedNearest(const std::vector<Floats4> &from, const std::vector<Floats4> &got, size_t side, Turn turn) {
  return everyTexel(got, side, [&](size_t x, size_t y, const Floats4 &texel) {
    Point at = sourcePosition(turn, x, y);
    return texel == from[clamped(std::floor(at.v), side) * side + clamped(std::floor(at.u), side)];
  });
}

std::vector<float> windowWeights() {
  std::vector<float> weights;
  for (int i = 0; i < 25; ++i)
    weights.push_back(float(1 + 7 * i % 25) / 325); // a permutation of 1 to 25
  return weights;
}

bool isConvolved(const std::vector<Bytes4> &from, const std::vector<Bytes4> &got, size_t side,
                 const std::vector<float> &weights) {
  return everyTexel(got, side, [&](size_t x, size_t y, Bytes4 texel) {
    for (int channel = 0; channel < 4; ++channel) {
      double sum = windowSum(side, x, y, weights, [&](size_t at) { return from[at].c[channel]; });
      if (!(std::fabs(texel.c[channel] - sum) <= Rounding))
        return false;
    }
    return true;
  });
}

bool isConvolved(const std::vector<float> &from, const std::vector<float> &got, size_t side,
                 const std::vector<float> &weights) {
  return everyTexel(got, side, [&](size_t x, size_t y, float texel) {
    double sum = windowSum(side, x, y, weights, [&](size_t at) { return from[at]; });
    return std::fabs(texel - sum) <= 1e-5 * (1 + sum); // 25 roundings of non-negative values
  });
}

bool isHalved(const std::vector<Bytes4> &from, const std::vector<Bytes4> &got, size_t side) {
  return everyTexel(got, side, [&](size_t x, size_t y, Bytes4 texel) {
    const Bytes4 *upper = &from[2 * y * 2 * side + 2 * x], *lower = upper + 2 * side;
    for (int channel = 0; channel < 4; ++channel) {
      double sum = upper[0].c[channel] + upper[1].c[channel] + lower[0].c[channel] + lower[1].c[channel];
      if (!(std::fabs(texel.c[channel] - sum / 4) <= Rounding))
        return false;
    }
    return true;
  });
}

} // namespace bench
