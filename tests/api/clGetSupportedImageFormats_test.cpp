#include "tests/api/ImageTest.h"
#include <algorithm>

namespace kiln::test {

struct GetSupportedImageFormats : WithImages {
  std::vector<cl_image_format> list(cl_mem_flags flags, cl_mem_object_type type) {
    cl_uint count = 0;
    EXPECT_EQ(clGetSupportedImageFormats(context, flags, type, 0, nullptr, &count), CL_SUCCESS);
    std::vector<cl_image_format> formats(count);
    EXPECT_EQ(clGetSupportedImageFormats(context, flags, type, count, formats.data(), &count), CL_SUCCESS);
    EXPECT_EQ(count, formats.size());
    return formats;
  }
  static bool has(const std::vector<cl_image_format> &formats, cl_channel_order order, cl_channel_type type) {
    return std::ranges::any_of(formats, [&](const cl_image_format &format) {
      return format.image_channel_order == order && format.image_channel_data_type == type;
    });
  }
  static bool has(const std::vector<cl_image_format> &formats, cl_channel_order order) {
    return std::ranges::any_of(formats,
                               [&](const cl_image_format &format) { return format.image_channel_order == order; });
  }
};

TEST_F(GetSupportedImageFormats, WrongArguments) {
  PROVES("API-5.3.2a R4");
  cl_uint count = 7;
  cl_image_format format;
  auto code = [&](cl_context in, cl_mem_flags flags, cl_mem_object_type type, cl_uint room, cl_image_format *out) {
    return clGetSupportedImageFormats(in, flags, type, room, out, &count);
  };
  EXPECT_EQ(code(nullptr, 0, CL_MEM_OBJECT_IMAGE2D, 1, &format), CL_INVALID_CONTEXT);
  for (cl_mem_object_type type : {CL_MEM_OBJECT_BUFFER, CL_MEM_OBJECT_PIPE, 0})
    EXPECT_EQ(code(context, 0, type, 1, &format), CL_INVALID_VALUE);
  for (cl_mem_flags flags : {CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 1 << 30,
                             CL_MEM_KERNEL_READ_AND_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY})
    EXPECT_EQ(code(context, flags, CL_MEM_OBJECT_IMAGE2D, 1, &format), CL_INVALID_VALUE) << flags;
  EXPECT_EQ(code(context, 0, CL_MEM_OBJECT_IMAGE2D, 0, &format), CL_INVALID_VALUE);
  EXPECT_EQ(count, 7u);
  EXPECT_EQ(code(context, 0, CL_MEM_OBJECT_IMAGE2D, 1, &format), CL_SUCCESS);
  EXPECT_GT(count, 1u) << "num_image_formats is the total number";
}

TEST_F(GetSupportedImageFormats, MinimumFormats) {
  PROVES("API-5.3.2a API-5.3.2b API-5.3.2c API-5.3.2d API-5.3.2e LIM-42");
  const cl_channel_type all[] = {CL_UNORM_INT8,     CL_UNORM_INT16,    CL_SNORM_INT8,   CL_SNORM_INT16,
                                 CL_SIGNED_INT8,    CL_SIGNED_INT16,   CL_SIGNED_INT32, CL_UNSIGNED_INT8,
                                 CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, CL_HALF_FLOAT,   CL_FLOAT};
  for (cl_mem_object_type type : ImageTypes) {
    const bool depth = type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY,
               line = type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
    for (cl_mem_flags flags : {CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_KERNEL_READ_AND_WRITE}) {
      std::vector<cl_image_format> formats = list(flags, type);
      const bool both = flags == CL_MEM_KERNEL_READ_AND_WRITE;
      for (cl_channel_type channel : all)
        for (cl_channel_order order : {CL_R, CL_RG, CL_RGBA})
          EXPECT_TRUE(has(formats, order, channel)) << type << " " << flags << std::hex << order << " " << channel;
      EXPECT_TRUE(has(formats, CL_BGRA, CL_UNORM_INT8));
      EXPECT_EQ(has(formats, CL_sRGBA, CL_UNORM_INT8), !line && !both);
      EXPECT_EQ(has(formats, CL_DEPTH, CL_FLOAT), depth);
      EXPECT_EQ(has(formats, CL_DEPTH, CL_UNORM_INT16), depth);
      EXPECT_FALSE(has(formats, CL_sRGBx));
      // The list has no duplicates.
      for (size_t i = 0; i < formats.size(); ++i)
        for (size_t k = 0; k < i; ++k)
          EXPECT_NE(std::memcmp(&formats[i], &formats[k], sizeof formats[i]), 0);
    }
  }
}
} // namespace kiln::test
