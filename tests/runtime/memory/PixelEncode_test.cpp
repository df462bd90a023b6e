// Compares with the specification's formulas, computed in double precision and in another way.
#include "runtime/memory/PixelEncode.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace kiln;

namespace {

template <typename Number> Number firstOf(const cl_image_format &format, const void *color) {
  const Pixel pixel = encodePixel(format, color);
  Number found{};
  std::memcpy(&found, pixel.bytes.data(), sizeof found);
  return found;
}

/// The value of a half.
double halfValue(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double size = exponent == 31 ? (fraction ? NAN : INFINITY)
                      : exponent     ? std::ldexp(1024 + fraction, exponent - 25)
                                     : std::ldexp(fraction, -24);
  return bits & 0x8000 ? -size : size;
}

uint16_t halfOf(float value) {
  const float color[4] = {value};
  return firstOf<uint16_t>({CL_R, CL_HALF_FLOAT}, color);
}

std::vector<float> someFloats() {
  std::vector<float> list = {0.f, -0.f, 1.f, -1.f, 0.5f, NAN, INFINITY, -INFINITY, 1e-30f, 3e38f, -3e38f, 0.0031308f};
  std::mt19937 random(3);
  for (int i = 0; i < 20'000; ++i)
    list.push_back(std::uniform_real_distribution<float>(-1.2f, 1.2f)(random));
  return list;
}

} // namespace

// Every half: from itself, from halfway to the next (ties to even), and from both sides of that.
TEST(PixelEncode, Halves) {
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const double here = halfValue(uint16_t(bits)), next = bits == 0x7bff ? 65536 : halfValue(uint16_t(bits + 1));
    const auto half = float((here + next) / 2);
    ASSERT_EQ(halfOf(float(here)), bits);
    ASSERT_EQ(halfOf(-float(here)), bits | 0x8000);
    ASSERT_EQ(halfOf(half), bits % 2 ? bits + 1 : bits);
    ASSERT_EQ(halfOf(std::nextafter(half, 0.f)), bits);
    ASSERT_EQ(halfOf(std::nextafter(half, INFINITY)), bits + 1);
  }
  EXPECT_EQ(halfOf(INFINITY), 0x7c00);
  EXPECT_EQ(halfOf(-INFINITY), 0xfc00);
  EXPECT_EQ(halfOf(1e30f), 0x7c00);
  EXPECT_TRUE(std::isnan(halfValue(halfOf(NAN))));
  EXPECT_EQ(halfOf(1e-30f), 0);
}

TEST(PixelEncode, NormalisedIntegers) {
  struct {
    cl_channel_type type;
    double scale, low, high;
  } const rows[] = {{CL_UNORM_INT8, 255, 0, 255},
                    {CL_UNORM_INT16, 65535, 0, 65535},
                    {CL_SNORM_INT8, 127, -128, 127},
                    {CL_SNORM_INT16, 32767, -32768, 32767}};
  for (const auto &row : rows)
    for (float value : someFloats()) {
      const float color[4] = {value};
      const cl_image_format format{CL_R, row.type};
      const double found = row.type == CL_UNORM_INT8    ? firstOf<uint8_t>(format, color)
                           : row.type == CL_UNORM_INT16 ? firstOf<uint16_t>(format, color)
                           : row.type == CL_SNORM_INT8  ? firstOf<int8_t>(format, color)
                                                        : firstOf<int16_t>(format, color);
      const double exact = std::isnan(value) ? 0 : std::fmin(std::fmax(double(value) * row.scale, row.low), row.high);
      ASSERT_LE(std::fabs(found - exact), 0.5 + row.high * 0x1p-24) << value; // the product is rounded to a float first
    }
  const float ties[4] = {0.5f, 0, 0, 0}; // 127.5 and 63.5
  EXPECT_EQ(firstOf<uint8_t>({CL_R, CL_UNORM_INT8}, ties), 128);
  EXPECT_EQ(firstOf<int8_t>({CL_R, CL_SNORM_INT8}, ties), 64);
}

TEST(PixelEncode, PackedTypes) {
  struct {
    cl_image_format format;
    std::vector<std::pair<unsigned, unsigned>> parts; // bits, and the lowest bit's position; red first
  } const rows[] = {{{CL_RGB, CL_UNORM_SHORT_565}, {{5, 11}, {6, 5}, {5, 0}}},
                    {{CL_RGBx, CL_UNORM_SHORT_555}, {{5, 10}, {5, 5}, {5, 0}}},
                    {{CL_RGB, CL_UNORM_INT_101010}, {{10, 20}, {10, 10}, {10, 0}}},
                    {{CL_RGBA, CL_UNORM_INT_101010_2}, {{10, 22}, {10, 12}, {10, 2}, {2, 0}}}};
  std::mt19937 random(4);
  for (const auto &[format, parts] : rows)
    for (int round = 0; round < 5'000; ++round) {
      float color[4];
      uint32_t expected = 0;
      for (size_t i = 0; i < 4; ++i) {
        color[i] = std::uniform_real_distribution<float>(-0.3f, 1.3f)(random);
        if (i >= parts.size())
          continue;
        const double most = (1u << parts[i].first) - 1;
        const double inside = std::fmin(std::fmax(double(color[i]), 0), 1) * most;
        if (std::fabs(inside - std::floor(inside) - 0.5) < 1e-3)
          color[i] = 0; // too near a tie for this reference
        else
          expected |= uint32_t(std::floor(inside + 0.5)) << parts[i].second;
      }
      const Pixel pixel = encodePixel(format, color);
      uint32_t found = 0;
      std::memcpy(&found, pixel.bytes.data(), pixel.size);
      ASSERT_EQ(pixel.size, format.image_channel_data_type == CL_UNORM_SHORT_565 ||
                                    format.image_channel_data_type == CL_UNORM_SHORT_555
                                ? 2u
                                : 4u);
      ASSERT_EQ(found, expected);
    }
}

// Each byte, converted to linear and back, is itself; between two bytes the nearest one.
TEST(PixelEncode, Srgb) {
  auto linear = [](double byte) {
    const double c = byte / 255;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  for (int byte = 0; byte < 256; ++byte) {
    const auto here = float(linear(byte));
    const float color[4] = {here, here, here, float(byte) / 255};
    for (cl_channel_order order : {CL_sRGBA, CL_sBGRA}) {
      const Pixel pixel = encodePixel({order, CL_UNORM_INT8}, color);
      for (size_t i = 0; i < 4; ++i)
        ASSERT_EQ(int(pixel.bytes[i]), byte);
    }
    for (double part : {0.1, 0.4, 0.6, 0.9}) {
      if (byte == 255)
        break;
      const auto between = float(linear(byte + part));
      const float other[4] = {between, between, between, 0};
      const Pixel pixel = encodePixel({CL_sRGB, CL_UNORM_INT8}, other);
      ASSERT_EQ(pixel.size, 3u);
      for (size_t i = 0; i < 3; ++i)
        ASSERT_EQ(int(pixel.bytes[i]), part < 0.5 ? byte : byte + 1) << byte << " and " << part;
    }
  }
  const float none[4] = {NAN, -1, 7, NAN};
  const Pixel pixel = encodePixel({CL_sRGBA, CL_UNORM_INT8}, none);
  EXPECT_EQ(int(pixel.bytes[0]), 0);
  EXPECT_EQ(int(pixel.bytes[1]), 0);
  EXPECT_EQ(int(pixel.bytes[2]), 255);
  EXPECT_EQ(int(pixel.bytes[3]), 0);
}

TEST(PixelEncode, Integers) {
  const int32_t given[] = {INT32_MIN, -32769, -32768, -129, -128, -1, 0, 127, 128, 32767, 32768, INT32_MAX};
  for (int32_t value : given) {
    const int32_t color[4] = {value};
    EXPECT_EQ(firstOf<int8_t>({CL_R, CL_SIGNED_INT8}, color), std::min(std::max(value, -128), 127));
    EXPECT_EQ(firstOf<int16_t>({CL_R, CL_SIGNED_INT16}, color), std::min(std::max(value, -32768), 32767));
    EXPECT_EQ(firstOf<int32_t>({CL_R, CL_SIGNED_INT32}, color), value);
    const uint32_t large[4] = {uint32_t(value)};
    EXPECT_EQ(firstOf<uint8_t>({CL_R, CL_UNSIGNED_INT8}, large), std::min(large[0], 255u));
    EXPECT_EQ(firstOf<uint16_t>({CL_R, CL_UNSIGNED_INT16}, large), std::min(large[0], 65535u));
    EXPECT_EQ(firstOf<uint32_t>({CL_R, CL_UNSIGNED_INT32}, large), large[0]);
  }
}

// Floats are stored as their bits.
TEST(PixelEncode, Floats) {
  const uint32_t given[4] = {0x7fc12345, 0x00000001, 0x80000000, 0xff800000};
  const Pixel pixel = encodePixel({CL_RGBA, CL_FLOAT}, given);
  EXPECT_EQ(std::memcmp(pixel.bytes.data(), given, 16), 0);
}
