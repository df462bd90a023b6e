// Entries of features that the device does not report: present in the table, each with the specification's error.
#include "tests/api/ApiTest.h"

namespace kiln::test {
struct AbsentFeatures : WithQueue {
  cl_int code = 1;
  cl_image_format format{CL_RGBA, CL_UNORM_INT8};
  cl_image_desc desc{};
  size_t zero[3] = {}, one[3] = {1, 1, 1};
  char bytes[64];
};

TEST_F(AbsentFeatures, CreatingImagesAndSamplers) {
  PROVES("API-ICDc");
  EXPECT_EQ(clCreateImage(context, 0, &format, &desc, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_OPERATION);
  EXPECT_EQ(clCreateImageWithProperties(context, nullptr, 0, &format, &desc, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_OPERATION);
  EXPECT_EQ(clCreateImage2D(context, 0, &format, 1, 1, 0, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_OPERATION);
  EXPECT_EQ(clCreateImage3D(context, 0, &format, 1, 1, 1, 0, 0, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_OPERATION);
  EXPECT_EQ(clCreateSampler(context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_OPERATION);
  EXPECT_EQ(clCreateSamplerWithProperties(context, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_OPERATION);
  EXPECT_EQ(clCreateImage(nullptr, 0, &format, &desc, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_CONTEXT);
}

TEST_F(AbsentFeatures, NoImageFormats) {
  cl_uint count = 7;
  EXPECT_EQ(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, nullptr, &count),
            CL_SUCCESS);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_BUFFER, 0, nullptr, &count),
            CL_INVALID_VALUE);
  EXPECT_EQ(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, nullptr,
                                       &count),
            CL_INVALID_VALUE);
  EXPECT_EQ(clGetSupportedImageFormats(nullptr, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, nullptr, &count),
            CL_INVALID_CONTEXT);
}

TEST_F(AbsentFeatures, ImageCommands) {
  PROVES("R5");
  Mem b = buffer(64);
  cl_command_queue queues[] = {nullptr, queue};
  cl_int expected[] = {CL_INVALID_COMMAND_QUEUE, CL_INVALID_OPERATION};
  for (int i = 0; i < 2; ++i) {
    cl_command_queue q = queues[i];
    EXPECT_EQ(clEnqueueReadImage(q, b, CL_TRUE, zero, one, 0, 0, bytes, 0, nullptr, nullptr), expected[i]);
    EXPECT_EQ(clEnqueueWriteImage(q, b, CL_TRUE, zero, one, 0, 0, bytes, 0, nullptr, nullptr), expected[i]);
    EXPECT_EQ(clEnqueueCopyImage(q, b, b, zero, zero, one, 0, nullptr, nullptr), expected[i]);
    EXPECT_EQ(clEnqueueCopyImageToBuffer(q, b, b, zero, one, 0, 0, nullptr, nullptr), expected[i]);
    EXPECT_EQ(clEnqueueCopyBufferToImage(q, b, b, 0, zero, one, 0, nullptr, nullptr), expected[i]);
    EXPECT_EQ(clEnqueueFillImage(q, b, bytes, zero, one, 0, nullptr, nullptr), expected[i]);
    size_t pitch;
    EXPECT_EQ(clEnqueueMapImage(q, b, CL_TRUE, CL_MAP_READ, zero, one, &pitch, nullptr, 0, nullptr, nullptr, &code),
              nullptr);
    EXPECT_EQ(code, expected[i]);
  }
}

TEST_F(AbsentFeatures, QueriesOfObjectsThatCannotBe) {
  Mem b = buffer(64);
  EXPECT_EQ(clGetImageInfo(b, CL_IMAGE_WIDTH, sizeof bytes, bytes, nullptr), CL_INVALID_MEM_OBJECT);
  cl_sampler nothing = reinterpret_cast<cl_sampler>(b.get());
  EXPECT_EQ(clGetSamplerInfo(nothing, CL_SAMPLER_CONTEXT, sizeof bytes, bytes, nullptr), CL_INVALID_SAMPLER);
  EXPECT_EQ(clRetainSampler(nothing), CL_INVALID_SAMPLER);
  EXPECT_EQ(clReleaseSampler(nothing), CL_INVALID_SAMPLER);
}

TEST_F(AbsentFeatures, BuiltInKernels) {
  PROVES("API-5.8.1e");
  cl_device_id d = device;
  EXPECT_EQ(clCreateProgramWithBuiltInKernels(context, 1, &d, "anything", &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateProgramWithBuiltInKernels(context, 0, nullptr, "anything", &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_VALUE);
}

TEST_F(AbsentFeatures, ExtensionNames) {
  PROVES("API-ICDb");
  EXPECT_NE(clGetExtensionFunctionAddressForPlatform(platform, "clCreateProgramWithILKHR"), nullptr);
  EXPECT_NE(clGetExtensionFunctionAddressForPlatform(platform, "clCreateCommandQueueWithPropertiesKHR"), nullptr);
  EXPECT_EQ(clGetExtensionFunctionAddressForPlatform(platform, "clNoSuchEntryKHR"), nullptr);
  EXPECT_EQ(clUnloadPlatformCompiler(platform), CL_SUCCESS);
}
} // namespace kiln::test
