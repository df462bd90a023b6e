#include "bench/suite/Reference.h"
#include <cmath>

namespace bench {

namespace {
/// A multiplicative congruential generator. Not one of the C++ library, so that results are the same everywhere.
class Random {
public:
  explicit Random(uint32_t seed) : state_(seed * 2654435761u + 1) {}
  uint32_t next() {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return uint32_t(state_ >> 32);
  }

private:
  uint64_t state_;
};
} // namespace

std::vector<float> wholeFloats(size_t count, uint32_t seed) {
  Random random(seed);
  std::vector<float> values(count);
  for (float &value : values)
    value = float(random.next() >> 29);
  return values;
}

std::vector<uint32_t> randomWords(size_t count, uint32_t seed) {
  Random random(seed);
  std::vector<uint32_t> values(count);
  for (uint32_t &value : values)
    value = random.next();
  return values;
}

std::vector<uint8_t> randomBytes(size_t count, uint32_t seed) {
  Random random(seed);
  std::vector<uint8_t> values(count);
  for (uint8_t &value : values)
    value = uint8_t(random.next() >> 24);
  return values;
}

std::vector<float> randomFloats(size_t count, float low, float high, uint32_t seed) {
  Random random(seed);
  std::vector<float> values(count);
  for (float &value : values)
    value = low + (high - low) * (float(random.next() >> 8) / 16777216.0f);
  return values;
}

std::vector<float> matrixRow(const std::vector<float> &a, const std::vector<float> &b, size_t n, size_t row) {
  std::vector<float> c(n, 0.0f);
  for (size_t k = 0; k < n; ++k)
    for (size_t column = 0; column < n; ++column)
      c[column] += a[row * n + k] * b[k * n + column];
  return c;
}

std::vector<float> matrixProduct(const std::vector<float> &a, const std::vector<float> &b, size_t n) {
  std::vector<float> c;
  for (size_t row = 0; row < n; ++row) {
    std::vector<float> next = matrixRow(a, b, n, row);
    c.insert(c.end(), next.begin(), next.end());
  }
  return c;
}

std::vector<int32_t> mandelbrot(size_t width, size_t height, Plane plane, int32_t limit) {
  std::vector<int32_t> counts(width * height);
  for (size_t row = 0; row < height; ++row)
    for (size_t column = 0; column < width; ++column) {
      float cx = plane.left + plane.step * float(column), cy = plane.top + plane.step * float(row);
      float x = 0, y = 0;
      int32_t count = 0;
      while (count < limit && x * x + y * y <= 4.0f) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        ++count;
      }
      counts[row * width + column] = count;
    }
  return counts;
}

std::vector<Vector4> bodies(size_t count) {
  Random random(7);
  auto coordinate = [&] { return float(random.next()) / 4294967296.0f * 2.0f - 1.0f; };
  std::vector<Vector4> made(count);
  for (Vector4 &body : made) {
    body.x = coordinate();
    body.y = coordinate();
    body.z = coordinate();
    body.w = 0.5f + float(random.next() >> 31);
  }
  return made;
}

Vector4 acceleration(const std::vector<Vector4> &bodies, size_t index, float softening) {
  double ax = 0, ay = 0, az = 0;
  const Vector4 &self = bodies[index];
  for (const Vector4 &other : bodies) {
    double dx = double(other.x) - self.x, dy = double(other.y) - self.y, dz = double(other.z) - self.z;
    double inverse = 1.0 / std::sqrt(dx * dx + dy * dy + dz * dz + softening);
    double pull = other.w * inverse * inverse * inverse;
    ax += dx * pull;
    ay += dy * pull;
    az += dz * pull;
  }
  return {float(ax), float(ay), float(az), 0.0f};
}

} // namespace bench
