// Texels in host memory, for the reference and for native/. Includes no C++ library header, see native/Images.cpp.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace bench {

/// A texel of format CL_RGBA, CL_UNORM_INT8.
struct Bytes4 {
  uint8_t c[4];
  bool operator==(const Bytes4 &) const = default;
};
/// A texel of format CL_RGBA, CL_FLOAT.
struct Floats4 {
  float c[4];
  bool operator==(const Floats4 &) const = default;
};

/// Maps a texel of a rotated picture to its position in the source: a centre at (x, y) reads
/// (cosine * x - sine * y + dx, sine * x + cosine * y + dy). Passed to kernels as a float4.
struct Turn {
  float cosine, sine, dx, dy;
};

} // namespace bench
