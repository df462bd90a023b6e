// Small structures that kernels, the reference and native/ share. Includes no C++ library header, see
// native/Images.cpp.
#pragma once

namespace bench {

/// The host's form of a float4.
struct Vector4 {
  float x, y, z, w;
};

/// The part of the complex plane that the Mandelbrot kernels draw.
struct Plane {
  float left, top, step;
};

} // namespace bench
