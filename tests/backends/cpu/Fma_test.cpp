// Compares the fused multiply-add for processors without the instruction with the C library's.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace kiln::soft {
#define fmaf softFmaf
#define fma softFma
extern "C" {
#include "backends/cpu/codegen/support/fma.c"
}
#undef fmaf
#undef fma
} // namespace kiln::soft

namespace kiln::test {
namespace {

// Numbers with few and with many bits, with near and distant exponents, of all magnitudes, and the extremes.
template <typename T, typename Bits> class Numbers {
public:
  explicit Numbers(int fraction) : fraction_(fraction) {}
  T next() {
    switch (random_() % 8) {
    case 0: {
      static constexpr T Ends[] = {0,
                                   -T(0),
                                   1,
                                   -1,
                                   std::numeric_limits<T>::infinity(),
                                   -std::numeric_limits<T>::infinity(),
                                   std::numeric_limits<T>::quiet_NaN(),
                                   std::numeric_limits<T>::max(),
                                   std::numeric_limits<T>::min(),
                                   -std::numeric_limits<T>::denorm_min()};
      return Ends[random_() % std::size(Ends)];
    }
    case 1:
    case 2:
      return of(Bits(random_()));
    case 3:
      return std::ldexp(T(random_() % 4096), int(random_() % 120) - 60);
    case 4: // few set bits: sums halfway between two numbers
      return of(Bits(random_()) & ~((Bits(1) << (fraction_ - 4)) - 1));
    case 5:
      return of(Bits(random_()) & ((Bits(1) << (fraction_ + 2)) - 1)); // tiny
    default:
      return std::ldexp(of((Bits(random_()) & ((Bits(1) << fraction_) - 1)) | bitsOf(T(1))), int(random_() % 8) - 4);
    }
  }

private:
  static T of(Bits bits) {
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  static Bits bitsOf(T value) {
    Bits bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  }
  std::mt19937_64 random_{7};
  const int fraction_;
};

template <typename T, typename Bits> void compare(int fraction, T (*function)(T, T, T)) {
  Numbers<T, Bits> numbers(fraction);
  for (int i = 0; i < 3'000'000; ++i) {
    T x = numbers.next(), y = numbers.next(), z = numbers.next();
    if (i % 4 == 0)
      z = -x * y; // the result is the rounding error of the product
    T expected = std::fma(x, y, z), got = function(x, y, z);
    if (std::isnan(expected) ? std::isnan(got) : std::memcmp(&expected, &got, sizeof got) == 0)
      continue;
    FAIL() << std::hexfloat << x << " * " << y << " + " << z << " is " << got << ", not " << expected;
  }
}

TEST(SoftFma, OfFloats) { compare<float, uint32_t>(23, soft::softFmaf); }
TEST(SoftFma, OfDoubles) { compare<double, uint64_t>(52, soft::softFma); }

} // namespace
} // namespace kiln::test
