// Images: the argument of a kernel, the same on all devices. The kernels' side is dialects/library/Image*.clcpp, the
// host's is runtime/memory/Image.
//
// Pixels are in rows of a buffer, without tiling: the pixel at (x, y, z) is at byte `pixelBytes * x + rowPitch * y +
// slicePitch * z` from the first one. z counts the slices of a 3D image or the layers of an array, a 1D array's
// included. A dimension that an image does not have is 1 in size.
#pragma once
#include "base/abi/AbiTypes.h"

namespace kiln::abi {

/// The value of an image argument in the argument block.
struct Image {
  uint64_t pixels;               // address of the first one, on the kernel's device
  uint64_t rowPitch, slicePitch; // bytes; the slice pitch is also set with one slice
  uint32_t width, height, slices;
  uint32_t format; // imageFormat
  uint32_t pixelBytes;
  uint32_t sliceRows; // rows from a slice to the next one, if all slices are seen as one plane
  // Texture objects of the device over that plane, for reads; 0: none (Device::createTexture). An image has none, or
  // all that its format has.
  uint64_t texture; // for reads of single pixels, if hasPixelTexture(format)
  uint64_t filter;  // for filtered reads, if isFilteredByTexture(format) or isGatheredByTexture(format)
};

// clang-format off: tables
/// The values of CL_R to CL_ABGR and CL_SNORM_INT8 to CL_UNORM_INT_101010_2, for code without OpenCL's headers.
enum ImageOrder : uint32_t {
  OrderR = 0x10b0, OrderA, OrderRG, OrderRA, OrderRGB, OrderRGBA, OrderBGRA, OrderARGB, OrderIntensity, OrderLuminance,
  OrderRx, OrderRGx, OrderRGBx, OrderDepth,
  OrderSRGB = 0x10bf, OrderSRGBx, OrderSRGBA, OrderSBGRA, OrderABGR,
};
enum ImageType : uint32_t {
  TypeSnorm8 = 0x10d0, TypeSnorm16, TypeUnorm8, TypeUnorm16, TypeUnorm565, TypeUnorm555, TypeUnorm101010, TypeSigned8,
  TypeSigned16, TypeSigned32, TypeUnsigned8, TypeUnsigned16, TypeUnsigned32, TypeHalf, TypeFloat,
  TypeUnorm101010_2 = 0x10e0,
};
// clang-format on

/// Order and type in one integer.
inline constexpr uint32_t imageFormat(uint32_t order, uint32_t type) { return order << 16 | type; }
inline constexpr uint32_t imageOrder(uint32_t format) { return format >> 16; }
inline constexpr uint32_t imageType(uint32_t format) { return format & 0xffff; }

/// A bit beside an image's format in protocol::KnownArgument: the variant is for images with texture objects.
inline constexpr uint32_t FormatTextured = 1u << 31;

/// Returns true if one element of the type holds all channels of a pixel.
inline constexpr bool isPacked(uint32_t type) {
  return (type >= TypeUnorm565 && type <= TypeUnorm101010) || type == TypeUnorm101010_2;
}
/// Bytes of a channel, or of a pixel if the type is packed.
inline constexpr uint32_t channelBytes(uint32_t type) {
  switch (type) {
  case TypeSnorm8:
  case TypeUnorm8:
  case TypeSigned8:
  case TypeUnsigned8:
    return 1;
  case TypeUnorm101010:
  case TypeUnorm101010_2:
  case TypeSigned32:
  case TypeUnsigned32:
  case TypeFloat:
    return 4;
  }
  return 2;
}
inline constexpr bool isSrgb(uint32_t order) {
  return order == OrderSRGB || order == OrderSRGBx || order == OrderSRGBA || order == OrderSBGRA;
}
/// The channels of a pixel in memory. A channel called x is not stored.
inline constexpr uint32_t channelsOf(uint32_t order) {
  switch (order) {
  case OrderR:
  case OrderRx:
  case OrderA:
  case OrderIntensity:
  case OrderLuminance:
  case OrderDepth:
    return 1;
  case OrderRG:
  case OrderRGx:
  case OrderRA:
    return 2;
  case OrderRGB:
  case OrderRGBx:
  case OrderSRGB:
    return 3;
  }
  return 4;
}
inline constexpr uint32_t pixelBytes(uint32_t format) {
  const uint32_t type = imageType(format);
  return isPacked(type) ? channelBytes(type) : channelBytes(type) * channelsOf(imageOrder(format));
}

// How images with texture objects are read (backends/gpu/driver/README.md).

/// Returns true if an image has a texture object for reads of single pixels, which the generic form uses.
inline constexpr bool hasPixelTexture(uint32_t format) {
  const uint32_t order = imageOrder(format);
  return !isPacked(imageType(format)) && channelsOf(order) != 3 && !isSrgb(order);
}
/// Returns true if kernels that know the format read pixels through it. 32-bit channels are loads without decoding.
inline constexpr bool isReadByTexture(uint32_t format) {
  return hasPixelTexture(format) && channelBytes(imageType(format)) < 4;
}
/// Returns true if filtered reads use the texture unit's linear filter.
inline constexpr bool isFilteredByTexture(uint32_t format) {
  return isReadByTexture(format) && imageType(format) == TypeUnorm8;
}
/// Returns true if filtered reads of 2D images gather the four pixels at once. A gather returns one channel.
inline constexpr bool isGatheredByTexture(uint32_t format) {
  const uint32_t type = imageType(format);
  const bool isExact =
      type == TypeFloat || type == TypeHalf || type == TypeUnorm16 || type == TypeSnorm8 || type == TypeSnorm16;
  return isExact && channelsOf(imageOrder(format)) == 1;
}

/// A sampler is an integer: an address mode and these bits.
enum SamplerMode : uint32_t { AddressNone, AddressClampToEdge, AddressClamp, AddressRepeat, AddressMirroredRepeat };
inline constexpr uint32_t SamplerModeMask = 7, SamplerNormalized = 8, SamplerLinear = 16;

/// The coordinates of an operation: the number of axes, and a flag for a layer after them.
inline constexpr uint32_t ShapeDims = 3, ShapeLayers = 4;

} // namespace kiln::abi
