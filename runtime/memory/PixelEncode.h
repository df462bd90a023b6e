// Encodes a colour as a pixel, as a kernel's write_image* does (OpenCL C, section 8.3), for clEnqueueFillImage.
#pragma once
#include "runtime/memory/ImageFormat.h"
#include <array>
#include <cstddef>

namespace kiln {

struct Pixel {
  std::array<std::byte, 16> bytes{};
  size_t size = 0;
};

/// `color` points to four floats, ints or unsigned ints, as the format requires; to one float for CL_DEPTH.
Pixel encodePixel(const cl_image_format &format, const void *color);

} // namespace kiln
