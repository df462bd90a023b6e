// A model of samplers, computed in double (OpenCL C 3.1, 3.2, 3.4).
#pragma once
#include "tests/api/ImageKernels.h"

#include <algorithm>

namespace kiln::test {

struct SamplerModes {
  cl_addressing_mode addressing;
  cl_filter_mode filter;
  bool normalized;
  bool isLinear() const { return filter == CL_FILTER_LINEAR; }
  bool repeats() const { return addressing == CL_ADDRESS_REPEAT || addressing == CL_ADDRESS_MIRRORED_REPEAT; }
  /// Returns false for repeating address modes with unnormalised coordinates: the result is then any pixel or the
  /// border.
  bool isDefined() const { return normalized || !repeats(); }
};
inline std::vector<SamplerModes> allSamplers() {
  std::vector<SamplerModes> all;
  for (cl_addressing_mode addressing :
       {CL_ADDRESS_NONE, CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT, CL_ADDRESS_MIRRORED_REPEAT})
    for (cl_filter_mode filter : {CL_FILTER_NEAREST, CL_FILTER_LINEAR})
      for (bool normalized : {false, true})
        all.push_back({addressing, filter, normalized});
  return all;
}
inline std::string nameOf(const SamplerModes &modes) {
  static constexpr const char *Names[] = {"none", "clamp to edge", "clamp", "repeat", "mirrored repeat"};
  return std::string(Names[modes.addressing - CL_ADDRESS_NONE]) + (modes.isLinear() ? ", linear" : ", nearest") +
         (modes.normalized ? ", normalised" : "");
}
/// The sampler's initializer in OpenCL C.
inline std::string literalOf(const SamplerModes &modes) {
  static constexpr const char *Names[] = {"NONE", "CLAMP_TO_EDGE", "CLAMP", "REPEAT", "MIRRORED_REPEAT"};
  return std::string("CLK_NORMALIZED_COORDS_") + (modes.normalized ? "TRUE" : "FALSE") + " | CLK_ADDRESS_" +
         Names[modes.addressing - CL_ADDRESS_NONE] + " | CLK_FILTER_" + (modes.isLinear() ? "LINEAR" : "NEAREST");
}

/// The pixels along one axis. Linear filter: two neighbours and the weight of `high`. Nearest filter: `low` and `high`
/// differ if the result depends on the rounding of the coordinate; both are permitted then.
struct Span {
  long low, high;
  double weight = 0;
};

class SampledImage {
public:
  /// `texelError`, `blendError`: the largest errors of the device's conversions and filters, beside those of floats.
  SampledImage(HostImage &image, const ImageShape &shape, const cl_image_format &format, double texelError = 0,
               double blendError = 0)
      : texelError_(texelError), blendError_(blendError), rules_(format), reach_(image.reach), colors_(image.count()),
        isArray_(isArray(shape.object)), axes_(is3d(shape.object)      ? 3
                                               : hasRows(shape.object) ? 2
                                                                       : 1) {
    image.pixels([&](size_t x, size_t y, size_t z, size_t index) { colors_[index] = rules_.color(image.at(x, y, z)); });
  }

  /// Returns true if `found` is a permitted result of the sampler at these coordinates. With CL_ADDRESS_NONE,
  /// coordinates outside the image are undefined; Kiln clamps them to the edge.
  bool finds(const SamplerModes &modes, const std::array<float, 4> &at, const Color &found, unsigned components) const {
    Span spans[3] = {};
    for (size_t axis = 0; axis < 3; ++axis)
      if (axis < axes_)
        spans[axis] = modes.isLinear() ? linear(modes, at[axis], long(reach_[axis]))
                                       : nearest(modes, at[axis], long(reach_[axis]));
      else if (axis == axes_ && isArray_)
        spans[axis] = layer(at[axis], long(reach_[axis]));
    if (modes.isLinear())
      return isBlend(spans, found, components);
    for (long x : {spans[0].low, spans[0].high})
      for (long y : {spans[1].low, spans[1].high})
        for (long z : {spans[2].low, spans[2].high})
          if (isNear(texel(x, y, z), found, components))
            return true;
    return false;
  }
  /// Returns true if `found` is one of the image's pixels or the border colour.
  bool isSome(const Color &found, unsigned components) const {
    if (isNear(rules_.border, found, components))
      return true;
    for (const Color &color : colors_)
      if (isNear(color, found, components))
        return true;
    return false;
  }

private:
  const Color &texel(long x, long y, long z) const {
    const bool within = x >= 0 && y >= 0 && z >= 0 && x < long(reach_[0]) && y < long(reach_[1]) && z < long(reach_[2]);
    return within ? colors_[(size_t(z) * reach_[1] + size_t(y)) * reach_[0] + size_t(x)] : rules_.border;
  }
  /// Compares with a tolerance: these tests check which pixel is read; image_formats_test.cpp checks conversions.
  bool isNear(const Color &wanted, const Color &found, unsigned components) const {
    for (unsigned i = 0; i < components; ++i)
      if (!(std::fabs(wanted[i] - found[i]) <= 4e-6 + texelError_))
        return false;
    return true;
  }
  /// The tolerance: texels of these tests are at most 1 in magnitude. A normalised coordinate times a size below 32,
  /// minus 1/2, has an error below 2^-18, which changes the blend by at most that part of the difference of two texels,
  /// for each axis. Blending adds about eight rounding errors of 2^-24.
  bool isBlend(const Span (&spans)[3], const Color &found, unsigned components) const {
    Color sum{};
    for (int corner = 0; corner < 8; ++corner) {
      double weight = 1;
      long at[3];
      for (int axis = 0; axis < 3; ++axis) {
        const bool second = corner >> axis & 1;
        weight *= second ? spans[axis].weight : 1 - spans[axis].weight;
        at[axis] = second ? spans[axis].high : spans[axis].low;
      }
      for (size_t i = 0; i < 4; ++i)
        sum[i] += weight ? weight * texel(at[0], at[1], at[2])[i] : 0;
    }
    for (unsigned i = 0; i < components; ++i)
      if (!(std::fabs(sum[i] - found[i]) <= 1.2e-5 + texelError_ + blendError_))
        return false;
    return true;
  }

  static double unfolded(const SamplerModes &modes, double s, long size) {
    if (!modes.normalized)
      return s;
    if (modes.addressing == CL_ADDRESS_REPEAT)
      s -= std::floor(s);
    else if (modes.addressing == CL_ADDRESS_MIRRORED_REPEAT)
      s = std::fabs(s - 2 * std::nearbyint(0.5 * s));
    return s * double(size);
  }
  static long addressed(const SamplerModes &modes, double number, long size) {
    const long i = long(std::clamp(number, -1e9, 1e9));
    if (modes.addressing == CL_ADDRESS_REPEAT)
      return i < 0 ? i + size : i >= size ? i - size : i;
    if (modes.addressing == CL_ADDRESS_CLAMP)
      return std::clamp(i, -1l, size);
    return std::clamp(i, 0l, size - 1);
  }
  static Span nearest(const SamplerModes &modes, double s, long size) {
    const double u = unfolded(modes, s, size);
    // Unnormalised coordinates are exact. Normalised ones are multiplied by the size, with a rounding error.
    const double slack = modes.normalized ? std::ldexp(std::max(std::fabs(u), double(size)), -22) : 0;
    double low = std::floor(u - slack), high = std::floor(u + slack);
    return {addressed(modes, low, size), addressed(modes, high, size)};
  }
  static Span linear(const SamplerModes &modes, double s, long size) {
    const double u = unfolded(modes, s, size) - 0.5, below = std::floor(u);
    return {addressed(modes, below, size), addressed(modes, below + 1, size), u - below};
  }
  static Span layer(double coordinate, long layers) {
    const long at = long(std::clamp(std::nearbyint(coordinate), 0.0, double(layers - 1)));
    return {at, at};
  }

  double texelError_, blendError_;
  PixelRules rules_;
  Triple reach_;
  std::vector<Color> colors_;
  bool isArray_;
  size_t axes_;
};

/// Random coordinates: inside the image, far outside, at pixel edges, next to them, and at pixel centres.
inline std::vector<std::array<float, 4>> coordinates(const ImageShape &shape, Triple reach, bool normalized,
                                                     size_t count, unsigned seed) {
  std::mt19937 random(seed);
  const size_t axes = is3d(shape.object) ? 3 : hasRows(shape.object) ? 2 : 1;
  auto one = [&](float size) {
    const float part = float(random() >> 8) * 0x1p-24f, edge = float(int(random() % (unsigned(size) + 5)) - 2);
    switch (random() % 9) {
    case 0:
      return size * (5 * part - 2);
    case 1:
      return edge;
    case 2:
      return edge + 0.5f;
    case 3:
      return std::nextafter(edge, -1e9f);
    case 4:
      return std::nextafter(edge, 1e9f);
    case 5:
      return (random() % 2 ? 1.0f : -1.0f) * std::pow(10.0f, float(random() % 12)) * part;
    default:
      return size * part;
    }
  };
  std::vector<std::array<float, 4>> list(count);
  for (auto &at : list)
    for (size_t axis = 0; axis < 4; ++axis) {
      at[axis] = one(axis < 3 ? float(reach[axis]) : 1);
      if (normalized && axis < axes)
        at[axis] /= float(reach[axis]);
    }
  return list;
}

} // namespace kiln::test
