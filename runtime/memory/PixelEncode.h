// A colour as the pixel that a kernel's write_image* makes of it (OpenCL C, section 8.3): what clEnqueueFillImage fills
// with.
#pragma once
#include "runtime/memory/ImageFormat.h"
#include <array>
#include <cstddef>

namespace kiln {

struct Pixel {
  std::array<std::byte, 16> bytes{};
  size_t size = 0;
};

/// `color` points to what the format takes: four floats, four ints or four unsigned ints; one float for CL_DEPTH.
Pixel encodePixel(const cl_image_format &format, const void *color);

} // namespace kiln
