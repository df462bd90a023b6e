// Compiled with -march=native, as all files with native loops. So they include no C++ library header: the linker could
// keep their copy of an inline function for the whole program, which must also run on other processors.
#include "bench/suite/native/Images.h"
#include <math.h>

namespace bench::native {
namespace {

int clamped(int index, int side) { return index < 0 ? 0 : index < side ? index : side - 1; }

// Wraps an index that is at most one texel outside. The four texels around a position inside are never further away.
int wrapped(int index, int side) { return index < 0 ? index + side : index < side ? index : index - side; }

Bytes4 toBytes(const float *color) {
  Bytes4 texel;
  for (int channel = 0; channel < 4; ++channel) {
    float value = color[channel] * 255.0f;
    value = value > 0.0f ? value : 0.0f;
    texel.c[channel] = uint8_t((value < 255.0f ? value : 255.0f) + 0.5f);
  }
  return texel;
}

// The linearly filtered texel at (u, v), in texels; `outside` maps an index to one inside the picture.
template <typename Outside> Bytes4 linear(const Bytes4 *from, int side, float u, float v, const Outside &outside) {
  float left = floorf(u - 0.5f), top = floorf(v - 0.5f);
  float a = u - 0.5f - left, b = v - 0.5f - top;
  int x0 = outside(int(left), side), x1 = outside(int(left) + 1, side);
  size_t y0 = size_t(outside(int(top), side)), y1 = size_t(outside(int(top) + 1, side));
  const Bytes4 *upper = from + y0 * size_t(side), *lower = from + y1 * size_t(side);
  float color[4];
  for (int channel = 0; channel < 4; ++channel) {
    float above = (1 - a) * upper[x0].c[channel] + a * upper[x1].c[channel];
    float below = (1 - a) * lower[x0].c[channel] + a * lower[x1].c[channel];
    color[channel] = ((1 - b) * above + b * below) * (1 / 255.0f);
  }
  return toBytes(color);
}

// Calls use(index, u, v) for all texels of the rows; (u, v) is the texel's position in the source.
template <typename Use> void turned(size_t side, Turn turn, Rows rows, const Use &use) {
  for (size_t row = rows.first; row < rows.end; ++row)
    for (size_t column = 0; column < side; ++column) {
      float x = float(column) + 0.5f, y = float(row) + 0.5f;
      use(row * side + column, turn.cosine * x - turn.sine * y + turn.dx, turn.sine * x + turn.cosine * y + turn.dy);
    }
}
} // namespace

void turnLinearEdges(const Bytes4 *from, Bytes4 *to, size_t side, Turn turn, Rows rows) {
  float size = float(side);
  turned(side, turn, rows,
         [&](size_t at, float s, float t) { to[at] = linear(from, int(side), s * size, t * size, clamped); });
}

void turnLinearRepeat(const Bytes4 *from, Bytes4 *to, size_t side, Turn turn, Rows rows) {
  float size = float(side);
  turned(side, turn, rows, [&](size_t at, float s, float t) {
    to[at] = linear(from, int(side), (s - floorf(s)) * size, (t - floorf(t)) * size, wrapped);
  });
}

void turnNearest(const Floats4 *from, Floats4 *to, size_t side, Turn turn, Rows rows) {
  turned(side, turn, rows, [&](size_t at, float u, float v) {
    int x = clamped(int(floorf(u)), int(side)), y = clamped(int(floorf(v)), int(side));
    to[at] = from[size_t(y) * side + size_t(x)];
  });
}

void convolve(const Bytes4 *from, Bytes4 *to, size_t side, const float *weights, Rows rows) {
  for (size_t row = rows.first; row < rows.end; ++row)
    for (size_t column = 0; column < side; ++column) {
      float sum[4] = {};
      for (int y = 0; y < 5; ++y)
        for (int x = 0; x < 5; ++x) {
          int fromX = clamped(int(column) + x - 2, int(side)), fromY = clamped(int(row) + y - 2, int(side));
          const Bytes4 &texel = from[size_t(fromY) * side + size_t(fromX)];
          for (int channel = 0; channel < 4; ++channel)
            sum[channel] += weights[y * 5 + x] * (texel.c[channel] * (1 / 255.0f));
        }
      to[row * side + column] = toBytes(sum);
    }
}

void convolve(const float *from, float *to, size_t side, const float *weights, Rows rows) {
  for (size_t row = rows.first; row < rows.end; ++row)
    for (size_t column = 0; column < side; ++column) {
      float sum = 0;
      for (int y = 0; y < 5; ++y)
        for (int x = 0; x < 5; ++x) {
          int fromX = clamped(int(column) + x - 2, int(side)), fromY = clamped(int(row) + y - 2, int(side));
          sum += weights[y * 5 + x] * from[size_t(fromY) * side + size_t(fromX)];
        }
      to[row * side + column] = sum;
    }
}

void halve(const Bytes4 *from, Bytes4 *to, size_t side, Rows rows) {
  for (size_t row = rows.first; row < rows.end; ++row)
    for (size_t column = 0; column < side; ++column) {
      const Bytes4 *upper = from + 4 * row * side + 2 * column, *lower = upper + 2 * side;
      float color[4];
      for (int channel = 0; channel < 4; ++channel) {
        int sum = upper[0].c[channel] + upper[1].c[channel] + lower[0].c[channel] + lower[1].c[channel];
        color[channel] = float(sum) * (1 / (4 * 255.0f));
      }
      to[row * side + column] = toBytes(color);
    }
}

void copy(const Bytes4 *from, size_t fromPitch, Bytes4 *to, size_t toPitch, size_t width, Rows rows) {
  for (size_t row = rows.first; row < rows.end; ++row)
    for (size_t column = 0; column < width; ++column)
      to[row * toPitch + column] = from[row * fromPitch + column];
}

void fill(Bytes4 *to, size_t side, Floats4 color, Rows rows) {
  const Bytes4 texel = toBytes(color.c);
  for (size_t i = rows.first * side; i < rows.end * side; ++i)
    to[i] = texel;
}

void fill(Floats4 *to, size_t side, Floats4 color, Rows rows) {
  for (size_t i = rows.first * side; i < rows.end * side; ++i)
    to[i] = color;
}

} // namespace bench::native
