// Small structures that kernels, the reference and native/ share. It includes nothing of the C++ library, see
// native/Images.cpp.
#pragma once

namespace bench {

/// A float4.
struct Vector4 {
  float x, y, z, w;
};

/// The part of the plane that the fractals draw.
struct Plane {
  float left, top, step;
};

} // namespace bench
