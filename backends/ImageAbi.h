// Images: what a kernel's argument says about one, the same on all devices. Kernels' side is dialects/library/Image*.clcpp,
// the host's runtime/memory/Image.
//
// Pixels lie in rows of a buffer, without tiles: the pixel at (x, y, z) is `pixelBytes * x + rowPitch * y +
// slicePitch * z` bytes behind the first. z counts the slices of a 3D image or the layers of an array, a 1D array's
// layers as well; what an image has no dimension for is 1 in size.
#pragma once
#include "backends/AbiTypes.h"

namespace kiln::abi {

/// Stands in the argument block where the argument is an image.
struct Image {
  uint64_t pixels;               // address of the first, on the kernel's device
  uint64_t rowPitch, slicePitch; // bytes; a slice pitch also where there is one slice
  uint32_t width, height, slices;
  uint32_t format; // imageFormat
  uint32_t pixelBytes;
  uint32_t unused;
};

/// OpenCL's numbers, CL_R to CL_ABGR and CL_SNORM_INT8 to CL_UNORM_INT_101010_2, for those who have no header of it.
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

/// One number for both.
inline constexpr uint32_t imageFormat(uint32_t order, uint32_t type) { return order << 16 | type; }
inline constexpr uint32_t imageOrder(uint32_t format) { return format >> 16; }
inline constexpr uint32_t imageType(uint32_t format) { return format & 0xffff; }

/// Bytes of a channel, or of a pixel where it is `isPacked`.
inline constexpr bool isPacked(uint32_t type) {
  return (type >= TypeUnorm565 && type <= TypeUnorm101010) || type == TypeUnorm101010_2;
}
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
/// Channels that a pixel has in memory; those called x have none.
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

/// A sampler is a number: an address mode, and these bits.
enum SamplerMode : uint32_t { AddressNone, AddressClampToEdge, AddressClamp, AddressRepeat, AddressMirroredRepeat };
inline constexpr uint32_t SamplerModeMask = 7, SamplerNormalized = 8, SamplerLinear = 16;

/// What the coordinates of an operation are: so many along axes, and a layer behind them.
inline constexpr uint32_t ShapeDims = 3, ShapeLayers = 4;

} // namespace kiln::abi
