// Square images for the benchmarks. A program must check hasImages before it creates one.
#pragma once
#include "bench/opencl/Opencl.h"

namespace bench {

inline bool hasImages(cl_device_id device) {
  cl_bool has = CL_FALSE;
  return clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof(has), &has, nullptr) == CL_SUCCESS && has;
}

/// Build options of image kernels. The kernels are OpenCL C 1.2 as well, but PoCL 8 has no image functions in 1.2.
inline constexpr const char *ImageOptions = "-cl-std=CL3.0";

inline constexpr cl_image_format RgbaBytes{CL_RGBA, CL_UNORM_INT8}, RgbaFloats{CL_RGBA, CL_FLOAT},
    RFloats{CL_R, CL_FLOAT};

/// A part of an image, as the copy commands take it.
struct Region {
  size_t origin[3], extent[3];
};
inline Region whole(size_t side) { return {{0, 0, 0}, {side, side, 1}}; }

inline Mem createImage(const Session &session, cl_image_format format, size_t side) {
  cl_image_desc description{};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = description.image_height = side;
  cl_int code = CL_SUCCESS;
  Mem made = clCreateImage(session.context, CL_MEM_READ_WRITE, &format, &description, nullptr, &code);
  check(code, "clCreateImage");
  return made;
}

/// Creates an image of `content`: one element per texel, row after row.
template <typename Texel>
Mem createImage(const Session &session, cl_image_format format, size_t side, const std::vector<Texel> &content) {
  Mem made = createImage(session, format, side);
  Region all = whole(side);
  check(clEnqueueWriteImage(session.queue, made, CL_TRUE, all.origin, all.extent, 0, 0, content.data(), 0, nullptr,
                            nullptr),
        "clEnqueueWriteImage");
  return made;
}

template <typename Texel> std::vector<Texel> readImage(const Session &session, cl_mem image, size_t side) {
  std::vector<Texel> content(side * side);
  Region all = whole(side);
  check(clEnqueueReadImage(session.queue, image, CL_TRUE, all.origin, all.extent, 0, 0, content.data(), 0, nullptr,
                           nullptr),
        "clEnqueueReadImage");
  return content;
}

} // namespace bench
