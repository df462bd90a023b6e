// A simple model of pixel formats (OpenCL C 1.13.14 and 3.3): the position of channels, the values that kernels may
// read, and the values that they may store. Computed in double, which represents every 32-bit value exactly and has
// much smaller rounding errors than the permitted ones.
#pragma once
#include "tests/api/ImageTest.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace kiln::test {

using Color = std::array<double, 4>;
using Words = std::array<uint32_t, 4>; // a pixel in a kernel: floats, ints or uints, by the format's kind

/// The kind of a format: read with read_imagef, read_imagei or read_imageui.
enum class Kind { Float, Signed, Unsigned };
inline constexpr const char *Suffixes[] = {"f", "i", "ui"};

inline Kind kindOf(const cl_image_format &format) {
  switch (format.image_channel_data_type) {
  case CL_SIGNED_INT8:
  case CL_SIGNED_INT16:
  case CL_SIGNED_INT32:
    return Kind::Signed;
  case CL_UNSIGNED_INT8:
  case CL_UNSIGNED_INT16:
  case CL_UNSIGNED_INT32:
    return Kind::Unsigned;
  }
  return Kind::Float;
}
inline double numberOf(Kind kind, uint32_t word) {
  return kind == Kind::Float    ? double(std::bit_cast<float>(word))
         : kind == Kind::Signed ? double(int32_t(word))
                                : double(word);
}

// ---- halves, sRGB ----

inline double halfValue(uint32_t bits) {
  const int exponent = int(bits >> 10 & 31), fraction = int(bits & 1023);
  const double size = exponent == 31  ? (fraction ? std::nan("") : HUGE_VAL)
                      : exponent == 0 ? std::ldexp(fraction, -24)
                                      : std::ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -size : size;
}
/// Converts to half with round to nearest even.
inline uint32_t toHalf(double value) {
  const uint32_t sign = std::signbit(value) ? 0x8000 : 0;
  value = std::fabs(value);
  if (std::isnan(value))
    return sign | 0x7e00;
  if (value >= 65520) // the midpoint of the largest half, 65504, and 2^16: rounds to infinity
    return sign | 0x7c00;
  const int exponent = value < 0x1p-14 ? -14 : std::ilogb(value);
  return sign | ((uint32_t(exponent + 14) << 10) + uint32_t(std::nearbyint(std::ldexp(value, 10 - exponent))));
}
inline double fromSrgb(double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); }
inline double toSrgb(double l) {
  if (!(l > 0)) // also NaN
    return 0;
  return l >= 1 ? 1 : l < 0.0031308 ? 12.92 * l : 1.055 * std::pow(l, 1 / 2.4) - 0.055;
}

// ---- channels ----

enum class Coding { Unorm, Snorm, Srgb, Half, Float, Signed, Unsigned };

struct Channel {
  unsigned component; // 0: red
  unsigned at, bits;  // first bit and number of bits in the pixel as a little-endian integer
  Coding coding;

  uint32_t field(const unsigned char *pixel) const {
    uint64_t word = 0;
    for (unsigned byte = at / 8; byte < (at + bits + 7) / 8; ++byte)
      word |= uint64_t(pixel[byte]) << 8 * (byte - at / 8);
    return uint32_t(word >> at % 8 & most());
  }
  uint64_t most() const { return (uint64_t(1) << bits) - 1; }
  double asSigned(uint32_t field) const { return double(int32_t(field << (32 - bits)) >> (32 - bits)); }

  double value(uint32_t field) const {
    switch (coding) {
    case Coding::Unorm:
      return double(field) / double(most());
    case Coding::Snorm:
      return std::max(-1.0, asSigned(field) / double(most() >> 1));
    case Coding::Srgb:
      return fromSrgb(field / 255.0);
    case Coding::Half:
      return halfValue(field);
    case Coding::Float:
      return std::bit_cast<float>(field);
    case Coding::Signed:
      return asSigned(field);
    default:
      return field;
    }
  }
  /// Returns true if a kernel may read `found` from a channel that contains `field`.
  bool mayRead(uint32_t field, double found) const {
    const double exact = value(field);
    if (std::isnan(exact))
      return std::isnan(found);
    if (exact == found)
      return true;
    switch (coding) {
    case Coding::Unorm: // 1.5 ulp; exact at 0, 1 and -1
    case Coding::Snorm:
      return exact != 0 && std::fabs(exact) != 1 &&
             std::fabs(found - exact) <= 1.5 * std::ldexp(1, std::ilogb(exact) - 23);
    case Coding::Srgb: // the inverse conversion must give `field`; 2^-18 relative error, because pow has 16 ulp
      return exact != 0 && std::fabs(toSrgb(found) * 255 - field) <= 0.5 &&
             std::fabs(found - exact) <= std::ldexp(exact, -18) && (field != 255 || found == 1);
    case Coding::Half:
      return std::fabs(exact) < 0x1p-14 && found == 0;
    case Coding::Float:
      return std::fabs(exact) < 0x1p-126 && found == 0;
    default:
      return false;
    }
  }
  /// Returns true if a channel may contain `field` after a kernel has written `given`. The specification permits other
  /// roundings than its preferred one; Kiln must use the preferred one, so that all devices have the same result.
  bool mayWrite(double given, uint32_t field) const {
    auto scaled = [&](double scale, double lowest, double found) {
      if (std::isnan(given))
        return found == 0;
      const double preferred = std::clamp<double>(float(given) * float(scale), lowest, scale);
      return found == std::nearbyint(preferred) && std::fabs(found - std::clamp(given * scale, lowest, scale)) <= 0.6;
    };
    switch (coding) {
    case Coding::Unorm:
      return scaled(double(most()), 0, field);
    case Coding::Snorm:
      return scaled(double(most() >> 1), -double(most() >> 1) - 1, asSigned(field));
    case Coding::Srgb:
      return std::fabs(toSrgb(given) * 255 - field) <= 0.6;
    case Coding::Half:
      return std::isnan(given) ? std::isnan(halfValue(field))
                               : field == toHalf(given) || (std::fabs(given) < 0x1p-14 && halfValue(field) == 0);
    case Coding::Float:
      return std::isnan(given) ? std::isnan(value(field)) : field == std::bit_cast<uint32_t>(float(given));
    case Coding::Signed:
      return asSigned(field) == std::clamp(given, -double(most() >> 1) - 1, double(most() >> 1));
    default:
      return field == std::clamp(given, 0.0, double(most()));
    }
  }
};

// ---- formats ----

struct PixelRules {
  std::vector<Channel> channels; // in memory order
  size_t bytes = 0;
  std::array<int, 4> source{-1, -1, -1,
                            -1}; // the channel that each component is read from; -1: none, reads 0, or 1 for alpha
  Color border{};

  explicit PixelRules(const cl_image_format &format) {
    const cl_channel_order order = format.image_channel_order;
    switch (format.image_channel_data_type) {
    case CL_UNORM_SHORT_565:
      fields({{0, 11, 5}, {1, 5, 6}, {2, 0, 5}}, 2);
      break;
    case CL_UNORM_SHORT_555:
      fields({{0, 10, 5}, {1, 5, 5}, {2, 0, 5}}, 2);
      break;
    case CL_UNORM_INT_101010:
      fields({{0, 20, 10}, {1, 10, 10}, {2, 0, 10}}, 4);
      break;
    case CL_UNORM_INT_101010_2:
      fields({{0, 22, 10}, {1, 12, 10}, {2, 2, 10}, {3, 0, 2}}, 4);
      break;
    default:
      const auto [bits, coding] = codingOf(format.image_channel_data_type);
      for (char name : namesOf(order)) {
        const unsigned component = unsigned(std::string_view("rgba").find(name)), at = unsigned(channels.size()) * bits;
        const bool curved = (order == CL_sRGB || order == CL_sRGBA || order == CL_sBGRA) && component < 3;
        channels.push_back({component, at, bits, curved ? Coding::Srgb : coding});
      }
      bytes = channels.size() * bits / 8;
    }
    for (size_t i = 0; i < channels.size(); ++i)
      source[channels[i].component] = int(i);
    if (order == CL_INTENSITY)
      source = {0, 0, 0, 0};
    else if (order == CL_LUMINANCE)
      source = {0, 0, 0, -1};
    border[3] = order == CL_R || order == CL_RG || order == CL_RGB || order == CL_LUMINANCE || order == CL_sRGB;
  }

  Color color(const unsigned char *pixel) const {
    Color seen{0, 0, 0, 1};
    for (size_t i = 0; i < 4; ++i)
      if (source[i] >= 0)
        seen[i] = channels[source[i]].value(channels[source[i]].field(pixel));
    return seen;
  }
  bool mayRead(const unsigned char *pixel, unsigned component, double found) const {
    if (source[component] < 0)
      return found == (component == 3 ? 1 : 0);
    const Channel &from = channels[source[component]];
    return from.mayRead(from.field(pixel), found);
  }
  bool mayWrite(const Color &given, const unsigned char *pixel) const {
    for (const Channel &channel : channels)
      if (!channel.mayWrite(given[channel.component], channel.field(pixel)))
        return false;
    return true;
  }

private:
  void fields(std::initializer_list<std::array<unsigned, 3>> list, size_t size) {
    for (auto [component, at, bits] : list)
      channels.push_back({component, at, bits, Coding::Unorm});
    bytes = size;
  }
  static std::pair<unsigned, Coding> codingOf(cl_channel_type type) {
    switch (type) {
    case CL_UNORM_INT8:
      return {8, Coding::Unorm};
    case CL_UNORM_INT16:
      return {16, Coding::Unorm};
    case CL_SNORM_INT8:
      return {8, Coding::Snorm};
    case CL_SNORM_INT16:
      return {16, Coding::Snorm};
    case CL_SIGNED_INT8:
      return {8, Coding::Signed};
    case CL_SIGNED_INT16:
      return {16, Coding::Signed};
    case CL_SIGNED_INT32:
      return {32, Coding::Signed};
    case CL_UNSIGNED_INT8:
      return {8, Coding::Unsigned};
    case CL_UNSIGNED_INT16:
      return {16, Coding::Unsigned};
    case CL_UNSIGNED_INT32:
      return {32, Coding::Unsigned};
    case CL_HALF_FLOAT:
      return {16, Coding::Half};
    default:
      return {32, Coding::Float};
    }
  }
  static std::string_view namesOf(cl_channel_order order) {
    switch (order) {
    case CL_A:
      return "a";
    case CL_RG:
    case CL_RGx:
      return "rg";
    case CL_RA:
      return "ra";
    case CL_sRGB:
      return "rgb";
    case CL_RGBA:
    case CL_sRGBA:
      return "rgba";
    case CL_BGRA:
    case CL_sBGRA:
      return "bgra";
    case CL_ARGB:
      return "argb";
    case CL_ABGR:
      return "abgr";
    default:
      return "r";
    }
  }
};

inline std::string nameOf(const cl_image_format &format) {
  char text[48];
  snprintf(text, sizeof text, "order 0x%x, type 0x%x", format.image_channel_order, format.image_channel_data_type);
  return text;
}
inline std::string nameOf(const Words &pixel, Kind kind) {
  std::string text;
  for (uint32_t word : pixel)
    text += std::to_string(numberOf(kind, word)) + " ";
  return text;
}

} // namespace kiln::test
