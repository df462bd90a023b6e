// Images as kernel arguments: their types in OpenCL C, formats by name, and their bytes.
#pragma once
#include "bench/measure/ArgumentSpec.h"
#include "bench/measure/Elements.h"
#include "bench/opencl/Opencl.h"
#include <optional>

namespace bench {

/// An image to create.
struct ImageShape {
  cl_mem_object_type type;
  cl_image_format format;
  size_t extent[3]; // width, height or layers, depth or layers, as regions have them; 1 for missing dimensions
  size_t pixelBytes;
  size_t bytes() const { return extent[0] * extent[1] * extent[2] * pixelBytes; }
};

/// Returns true for image2d_t and the other types of images.
bool isImage(const std::string &type);
/// The shape of an argument of this type. Missing parts are the default: the extent is the global size, the format
/// rgba, unorm_int8, or depth, float. Throws, with `words` for the argument, if there is no such image.
ImageShape imageShape(const std::string &type, const ImageSpec &spec, const std::vector<size_t> &global,
                      const std::string &words);
/// The image's bytes: each channel is one element of its type. Packed channels are one integer.
std::string filledImage(const ImageShape &shape, const std::string &fill);
/// The type of one channel, or of all channels if they are packed.
Element elementOfImage(const ImageShape &shape);
/// rgba,unorm_int8
std::string nameOf(const cl_image_format &format);

} // namespace bench
