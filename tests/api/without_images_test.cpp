// The queries and errors of a device without images, alone in its context and next to one with images. ctest runs this
// file with the null device (KILN_DEVICES=cpu,null).
#include "tests/api/ImageTest.h"

namespace kiln::test {
struct WithoutImages : WithImages {
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(WithImages::SetUp());
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_CUSTOM, 1, &without, nullptr) != CL_SUCCESS)
      GTEST_SKIP() << "every device supports images";
    ASSERT_FALSE(query<cl_bool>(clGetDeviceInfo, without, CL_DEVICE_IMAGE_SUPPORT));
    alone = clCreateContext(nullptr, 1, &without, nullptr, nullptr, &code);
    ASSERT_EQ(code, CL_SUCCESS);
    cl_device_id both[] = {device, without};
    beside = clCreateContext(nullptr, 2, both, nullptr, nullptr, &code);
    ASSERT_EQ(code, CL_SUCCESS);
    aloneQueue = clCreateCommandQueueWithProperties(alone, without, nullptr, &code);
    ASSERT_EQ(code, CL_SUCCESS);
    besideQueue = clCreateCommandQueueWithProperties(beside, without, nullptr, &code);
    ASSERT_EQ(code, CL_SUCCESS);
  }
  cl_device_id without = nullptr;
  Context alone, beside;
  Queue aloneQueue, besideQueue;
  cl_int code = 1;
  size_t zero[3] = {}, one[3] = {1, 1, 1};
  char bytes[64] = {};
};

TEST_F(WithoutImages, CreatingImagesAndSamplers) {
  PROVES("API-5.3.1a API-5.7.1a API-ICDc");
  const cl_image_desc flat = description(CL_MEM_OBJECT_IMAGE2D, {4, 4, 1});
  EXPECT_EQ(clCreateImage(alone, 0, &Rgba8, &flat, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_OPERATION);
  EXPECT_EQ(clCreateImageWithProperties(alone, nullptr, 0, &Rgba8, &flat, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_OPERATION);
  EXPECT_EQ(clCreateImage2D(alone, 0, &Rgba8, 1, 1, 0, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_OPERATION);
  EXPECT_EQ(clCreateImage3D(alone, 0, &Rgba8, 1, 1, 1, 0, 0, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_OPERATION);
  EXPECT_EQ(clCreateSampler(alone, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_OPERATION);
  EXPECT_EQ(clCreateSamplerWithProperties(alone, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_OPERATION);
}

TEST_F(WithoutImages, Formats) {
  PROVES("API-5.3.2a");
  cl_uint count = 7;
  EXPECT_EQ(clGetSupportedImageFormats(alone, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, nullptr, &count), CL_SUCCESS);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(clGetSupportedImageFormats(beside, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, nullptr, &count),
            CL_SUCCESS);
  EXPECT_GT(count, 0u) << "those of the other device";
}

TEST_F(WithoutImages, Commands) {
  PROVES("R10 R5");
  Mem made = image(CL_MEM_OBJECT_IMAGE2D, {4, 4, 1}, Rgba8, 4, beside), plain = buffer(64, 0, nullptr, beside);
  struct {
    cl_command_queue queue;
    cl_int code;
  } const cases[] = {
      {nullptr, CL_INVALID_COMMAND_QUEUE}, {aloneQueue, CL_INVALID_OPERATION}, {besideQueue, CL_INVALID_OPERATION}};
  for (const auto &[q, expected] : cases) {
    EXPECT_EQ(clEnqueueReadImage(q, made, CL_TRUE, zero, one, 0, 0, bytes, 0, nullptr, nullptr), expected);
    EXPECT_EQ(clEnqueueWriteImage(q, made, CL_TRUE, zero, one, 0, 0, bytes, 0, nullptr, nullptr), expected);
    EXPECT_EQ(clEnqueueCopyImage(q, made, made, zero, one, one, 0, nullptr, nullptr), expected);
    EXPECT_EQ(clEnqueueCopyImageToBuffer(q, made, plain, zero, one, 0, 0, nullptr, nullptr), expected);
    EXPECT_EQ(clEnqueueCopyBufferToImage(q, plain, made, 0, zero, one, 0, nullptr, nullptr), expected);
    EXPECT_EQ(clEnqueueFillImage(q, made, bytes, zero, one, 0, nullptr, nullptr), expected);
    size_t pitch;
    EXPECT_EQ(clEnqueueMapImage(q, made, CL_TRUE, CL_MAP_READ, zero, one, &pitch, nullptr, 0, nullptr, nullptr, &code),
              nullptr);
    EXPECT_EQ(code, expected);
  }
}
} // namespace kiln::test
