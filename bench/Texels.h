// Texels as the host sees them; for the reference and for native/, which must include nothing of the C++ library.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace bench {

/// Of CL_RGBA and CL_UNORM_INT8.
struct Bytes4 {
  uint8_t c[4];
  bool operator==(const Bytes4 &) const = default;
};
/// Of CL_RGBA and CL_FLOAT.
struct Floats4 {
  float c[4];
  bool operator==(const Floats4 &) const = default;
};

/// Where texels of a turned picture come from: that whose centre is at (x, y) from
/// (cosine * x - sine * y + dx, sine * x + cosine * y + dy). Also a kernel's argument, a float4.
struct Turn {
  float cosine, sine, dx, dy;
};

} // namespace bench
