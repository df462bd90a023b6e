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

/// One number for both, each as OpenCL has it: CL_RGBA and CL_UNORM_INT8.
inline constexpr uint32_t imageFormat(uint32_t order, uint32_t type) { return order << 16 | type; }
inline constexpr uint32_t imageOrder(uint32_t format) { return format >> 16; }
inline constexpr uint32_t imageType(uint32_t format) { return format & 0xffff; }

/// A sampler is a number: an address mode, and these bits.
enum SamplerMode : uint32_t { AddressNone, AddressClampToEdge, AddressClamp, AddressRepeat, AddressMirroredRepeat };
inline constexpr uint32_t SamplerModeMask = 7, SamplerNormalized = 8, SamplerLinear = 16;

} // namespace kiln::abi
