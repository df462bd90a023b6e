#include "runtime/memory/PixelEncode.h"
#include "base/abi/ImageAbi.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace kiln {
namespace {

/// Rounds to the nearest integer, ties to even, in every rounding mode of the application.
int64_t roundToEven(double value) {
  const double below = std::floor(value), rest = value - below;
  const auto whole = int64_t(below);
  return whole + (rest > 0.5 || (rest == 0.5 && (whole & 1)));
}

int64_t normalise(float value, float scale, int64_t low, int64_t high) {
  if (std::isnan(value))
    return 0;
  return roundToEven(std::clamp(double(value * scale), double(low), double(high)));
}

/// Rounds to the nearest half, ties to even. Values that are too large become infinite.
uint16_t toHalf(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const auto sign = uint16_t(bits >> 16 & 0x8000);
  const uint32_t size = bits & 0x7fffffff;
  if (size > 0x7f800000)
    return uint16_t(sign | 0x7e00 | (size >> 13 & 0x1ff)); // a quiet NaN with the same payload
  if (size >= 0x477ff000) // 65520, halfway between the largest half and the next power of two
    return uint16_t(sign | 0x7c00);
  // Below 2^-14 all halves are multiples of 2^-24.
  if (size < 0x38800000)
    return uint16_t(sign | roundToEven(double(std::bit_cast<float>(size)) * 0x1p24));
  const uint32_t rebased = size - (112u << 23), rest = rebased & 0x1fff;
  const uint32_t cut = rebased >> 13;
  return uint16_t(sign | (cut + (rest > 0x1000 || (rest == 0x1000 && (cut & 1)))));
}

float toSrgb(float linear) {
  if (std::isnan(linear) || linear <= 0)
    return 0;
  if (linear >= 1)
    return 1;
  return float(linear < 0.0031308 ? 12.92 * linear : 1.055 * std::pow(double(linear), 1 / 2.4) - 0.055);
}

template <typename Number, typename Given> uint32_t saturate(Given value) {
  const auto fits = std::clamp<int64_t>(value, std::numeric_limits<Number>::min(), std::numeric_limits<Number>::max());
  return uint32_t(std::make_unsigned_t<Number>(fits));
}

/// Encodes one channel into the low bits.
uint32_t encode(cl_channel_type type, float value) {
  switch (type) {
  case CL_SNORM_INT8:
    return uint8_t(normalise(value, 127, -128, 127));
  case CL_SNORM_INT16:
    return uint16_t(normalise(value, 32767, -32768, 32767));
  case CL_UNORM_INT8:
    return uint32_t(normalise(value, 255, 0, 255));
  case CL_UNORM_INT16:
    return uint32_t(normalise(value, 65535, 0, 65535));
  case CL_HALF_FLOAT:
    return toHalf(value);
  default:
    return std::bit_cast<uint32_t>(value);
  }
}
uint32_t encode(cl_channel_type type, int32_t value) {
  return type == CL_SIGNED_INT8    ? saturate<int8_t>(value)
         : type == CL_SIGNED_INT16 ? saturate<int16_t>(value)
                                   : uint32_t(value);
}
uint32_t encode(cl_channel_type type, uint32_t value) {
  return type == CL_UNSIGNED_INT8    ? saturate<uint8_t>(value)
         : type == CL_UNSIGNED_INT16 ? saturate<uint16_t>(value)
                                     : value;
}

/// The channels of a packed type, the first one in the highest bits; 0 for other types.
uint32_t pack(cl_channel_type type, const float *color) {
  auto part = [&](int channel, unsigned bits, unsigned at) {
    const uint32_t most = (1u << bits) - 1;
    return uint32_t(normalise(color[channel], float(most), 0, most)) << at;
  };
  switch (type) {
  case CL_UNORM_SHORT_565:
    return part(0, 5, 11) | part(1, 6, 5) | part(2, 5, 0);
  case CL_UNORM_SHORT_555:
    return part(0, 5, 10) | part(1, 5, 5) | part(2, 5, 0);
  case CL_UNORM_INT_101010:
    return part(0, 10, 20) | part(1, 10, 10) | part(2, 10, 0);
  default: // CL_UNORM_INT_101010_2
    return part(0, 10, 22) | part(1, 10, 12) | part(2, 10, 2) | part(3, 2, 0);
  }
}

template <typename Number> void encodeChannels(const cl_image_format &format, const Number *color, Pixel &pixel) {
  const std::string_view channels = channelsOf(format.image_channel_order);
  const size_t bytes = pixel.size / channels.size();
  std::byte *to = pixel.bytes.data();
  for (char channel : channels) {
    const uint32_t word = encode(format.image_channel_data_type, color[std::string_view("rgba").find(channel)]);
    std::memcpy(to, &word, bytes); // little-endian: the low bytes come first
    to += bytes;
  }
}

} // namespace

Pixel encodePixel(const cl_image_format &format, const void *color) {
  static_assert(std::endian::native == std::endian::little);
  Pixel pixel;
  pixel.size = elementBytes(format);
  const cl_channel_type type = format.image_channel_data_type;
  if (isSignedInteger(type)) {
    int32_t given[4];
    std::memcpy(given, color, sizeof given);
    encodeChannels(format, given, pixel);
    return pixel;
  }
  if (isUnsignedInteger(type)) {
    uint32_t given[4];
    std::memcpy(given, color, sizeof given);
    encodeChannels(format, given, pixel);
    return pixel;
  }
  float given[4]{};
  std::memcpy(given, color, format.image_channel_order == CL_DEPTH ? sizeof(float) : sizeof given);
  if (isSrgb(format.image_channel_order))
    std::transform(given, given + 3, given, toSrgb);
  if (abi::isPacked(type)) {
    const uint32_t word = pack(type, given);
    std::memcpy(pixel.bytes.data(), &word, pixel.size);
  } else {
    encodeChannels(format, given, pixel);
  }
  return pixel;
}

} // namespace kiln
