#include "tests/api/ImageTest.h"

namespace kiln::test {

struct GetImageInfo : WithImages {};

TEST_F(GetImageInfo, QueryRules) {
  PROVES("R3 API-5.3.7a");
  Mem made = image(CL_MEM_OBJECT_IMAGE2D, {4, 4, 1}), plain = buffer(64);
  expectInfoRules(clGetImageInfo, made.get(), CL_IMAGE_FORMAT);
  size_t value;
  EXPECT_EQ(clGetImageInfo(plain, CL_IMAGE_WIDTH, sizeof value, &value, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clGetImageInfo(nullptr, CL_IMAGE_WIDTH, sizeof value, &value, nullptr), CL_INVALID_MEM_OBJECT);
}

// Sizes and pitches that an image type does not have are 0.
TEST_F(GetImageInfo, EveryType) {
  PROVES("API-5.3.7a API-5.5.5a");
  for (cl_mem_object_type type : ImageTypes) {
    Mem made = image(type, {7, 5, 3}, {CL_RG, CL_SIGNED_INT16});
    const auto format = info<cl_image_format>(made, CL_IMAGE_FORMAT);
    EXPECT_EQ(format.image_channel_order, cl_channel_order(CL_RG));
    EXPECT_EQ(format.image_channel_data_type, cl_channel_type(CL_SIGNED_INT16));
    EXPECT_EQ(info<size_t>(made, CL_IMAGE_ELEMENT_SIZE), 4u);
    EXPECT_EQ(info<size_t>(made, CL_IMAGE_ROW_PITCH), 28u);
    EXPECT_EQ(info<size_t>(made, CL_IMAGE_SLICE_PITCH), type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 28u
                                                        : is3d(type) || isArray(type)       ? 140u
                                                                                            : 0u);
    EXPECT_EQ(info<size_t>(made, CL_IMAGE_WIDTH), 7u);
    EXPECT_EQ(info<size_t>(made, CL_IMAGE_HEIGHT), hasRows(type) ? 5u : 0u);
    EXPECT_EQ(info<size_t>(made, CL_IMAGE_DEPTH), is3d(type) ? 3u : 0u);
    EXPECT_EQ(info<size_t>(made, CL_IMAGE_ARRAY_SIZE), isArray(type) ? 3u : 0u);
    EXPECT_EQ(info<cl_uint>(made, CL_IMAGE_NUM_MIP_LEVELS), 0u);
    EXPECT_EQ(info<cl_uint>(made, CL_IMAGE_NUM_SAMPLES), 0u);
    EXPECT_EQ(info<cl_mem>(made, CL_IMAGE_BUFFER) != nullptr, type == CL_MEM_OBJECT_IMAGE1D_BUFFER);
    EXPECT_EQ(query<cl_mem_object_type>(clGetMemObjectInfo, made.get(), CL_MEM_TYPE), type);
    EXPECT_EQ(query<cl_context>(clGetMemObjectInfo, made.get(), CL_MEM_CONTEXT), context.get());
  }
}
} // namespace kiln::test
