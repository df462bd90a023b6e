// Images and samplers as kernel arguments: the checks of clSetKernelArg, and the lifetime of arguments.
#include "tests/api/ImageTest.h"

namespace kiln::test {

struct ImageArguments : WithImages {
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(WithImages::SetUp());
    if (IsSkipped())
      return;
    program = build(R"(
kernel void copy(read_only image2d_t from, write_only image2d_t to, sampler_t s) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(to, at, read_imagef(from, s, at));
}
kernel void depths(read_only image2d_depth_t from, global float *to) {
  *to = read_imagef(from, (int2)(0, 0));
}
kernel void both(read_write image2d_t a, read_only image2d_t b) {
  write_imagef(a, (int2)(0, 0), read_imagef(b, (int2)(0, 0)));
}
kernel void two(read_write image2d_t a, read_write image2d_t b) {
  write_imagef(a, (int2)(0, 0), read_imagef(b, (int2)(0, 0)));
})");
  }
  Program build(const char *text, cl_context in = nullptr) {
    cl_int code = 1;
    Program made = clCreateProgramWithSource(in ? in : context.get(), 1, &text, nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    EXPECT_EQ(clBuildProgram(made, 0, nullptr, "-cl-std=CL3.0", nullptr, nullptr), CL_SUCCESS)
        << queryText(clGetProgramBuildInfo, made.get(), device, CL_PROGRAM_BUILD_LOG);
    return made;
  }
  Kernel kernel(const char *name) {
    cl_int code = 1;
    Kernel made = clCreateKernel(program, name, &code);
    EXPECT_EQ(code, CL_SUCCESS) << name;
    return made;
  }
  Mem flat(cl_mem_flags flags = 0, const cl_image_format &format = Rgba8, cl_context in = nullptr) {
    return image(CL_MEM_OBJECT_IMAGE2D, {4, 4, 1}, format, 4, in, flags);
  }
  Sampler sampler(cl_context in = nullptr) {
    cl_int code = 1;
    Sampler made = clCreateSampler(in ? in : context.get(), CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    return made;
  }
  template <typename T> cl_int set(cl_kernel to, cl_uint index, const T &value) {
    return clSetKernelArg(to, index, sizeof(void *), value.address());
  }
  cl_int launch(cl_kernel which, cl_command_queue on = nullptr) {
    const size_t size[2] = {4, 4};
    return clEnqueueNDRangeKernel(on ? on : queue.get(), which, 2, nullptr, size, nullptr, 0, nullptr, nullptr);
  }
  Program program;
  const Triple zero{};
};

TEST_F(ImageArguments, Copies) {
  PROVES("API-5.9.2a");
  auto [from, model] = randomImage(CL_MEM_OBJECT_IMAGE2D, {4, 4, 1});
  Mem to = flat();
  Sampler s = sampler();
  Kernel copy = kernel("copy");
  ASSERT_EQ(set(copy, 0, from), CL_SUCCESS);
  ASSERT_EQ(set(copy, 1, to), CL_SUCCESS);
  ASSERT_EQ(set(copy, 2, s), CL_SUCCESS);
  s.reset(); // the kernel keeps the sampler's value
  ASSERT_EQ(launch(copy), CL_SUCCESS);
  EXPECT_EQ(readImage(to, zero, {4, 4, 1}), model.bytes);
}

TEST_F(ImageArguments, WrongObjects) {
  PROVES("API-5.9.2a API-5.9.2b");
  Kernel copy = kernel("copy"), depths = kernel("depths");
  Mem plain = buffer(64), foreign = flat(0, Rgba8, otherContext), made = flat(),
      deep = image(CL_MEM_OBJECT_IMAGE3D, {4, 4, 4}), layers = image(CL_MEM_OBJECT_IMAGE2D_ARRAY, {4, 4, 4}),
      depth = flat(0, {CL_DEPTH, CL_FLOAT});
  for (const Mem *wrong : {&plain, &foreign, &deep, &layers, &depth})
    EXPECT_EQ(set(copy, 0, *wrong), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(set(depths, 0, made), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(set(depths, 0, depth), CL_SUCCESS);
  EXPECT_EQ(set(depths, 1, made), CL_INVALID_ARG_VALUE) << "an image as a pointer argument";
  cl_mem null = nullptr;
  EXPECT_EQ(clSetKernelArg(copy, 0, sizeof null, &null), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clSetKernelArg(copy, 0, sizeof null, nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clSetKernelArg(copy, 0, 48, made.address()), CL_INVALID_ARG_SIZE);
  EXPECT_EQ(clSetKernelArg(copy, 0, sizeof null, queue.address()), CL_INVALID_MEM_OBJECT);
}

TEST_F(ImageArguments, FlagsOfTheImage) {
  PROVES("API-5.9.2b");
  Kernel copy = kernel("copy"), both = kernel("both");
  Mem reads = flat(CL_MEM_READ_ONLY), writes = flat(CL_MEM_WRITE_ONLY);
  EXPECT_EQ(set(copy, 0, reads), CL_SUCCESS);
  EXPECT_EQ(set(copy, 0, writes), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(set(copy, 1, reads), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(set(copy, 1, writes), CL_SUCCESS);
  EXPECT_EQ(set(both, 0, reads), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(set(both, 0, writes), CL_INVALID_ARG_VALUE);
}

TEST_F(ImageArguments, Samplers) {
  PROVES("API-5.9.2b");
  Kernel copy = kernel("copy");
  Sampler s = sampler(), foreign = sampler(otherContext);
  Mem made = flat();
  EXPECT_EQ(set(copy, 2, made), CL_INVALID_SAMPLER);
  EXPECT_EQ(set(copy, 2, foreign), CL_INVALID_SAMPLER);
  cl_sampler null = nullptr;
  EXPECT_EQ(clSetKernelArg(copy, 2, sizeof null, &null), CL_INVALID_SAMPLER);
  EXPECT_EQ(clSetKernelArg(copy, 2, sizeof null, nullptr), CL_INVALID_SAMPLER);
  EXPECT_EQ(clSetKernelArg(copy, 2, 4, s.address()), CL_INVALID_ARG_SIZE);
  EXPECT_EQ(set(copy, 0, s), CL_INVALID_MEM_OBJECT);
}

// One image may be passed for two arguments if no argument can read what another one writes.
TEST_F(ImageArguments, OneImageTwice) {
  PROVES("API-5.3.2f");
  Kernel copy = kernel("copy"), both = kernel("both"), two = kernel("two");
  Mem a = flat(), b = flat();
  Sampler s = sampler();
  ASSERT_EQ(set(copy, 2, s), CL_SUCCESS);
  auto code = [&](cl_kernel which, const Mem &first, const Mem &second) {
    EXPECT_EQ(set(which, 0, first), CL_SUCCESS);
    EXPECT_EQ(set(which, 1, second), CL_SUCCESS);
    return launch(which);
  };
  EXPECT_EQ(code(copy, a, a), CL_INVALID_KERNEL_ARGS);
  EXPECT_EQ(code(both, a, a), CL_INVALID_KERNEL_ARGS);
  EXPECT_EQ(code(two, a, a), CL_INVALID_KERNEL_ARGS);
  EXPECT_EQ(code(copy, a, b), CL_SUCCESS);
  EXPECT_EQ(code(both, a, b), CL_SUCCESS);
  EXPECT_EQ(code(two, a, b), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue), CL_SUCCESS);
}

TEST_F(ImageArguments, FormatsThatAreNotReadAndWritten) {
  PROVES("API-5.3.2f");
  Kernel both = kernel("both"), copy = kernel("copy");
  Mem srgb = flat(0, {CL_sRGBA, CL_UNORM_INT8}), other = flat();
  Sampler s = sampler();
  ASSERT_EQ(set(both, 0, srgb), CL_SUCCESS);
  ASSERT_EQ(set(both, 1, other), CL_SUCCESS);
  EXPECT_EQ(launch(both), CL_IMAGE_FORMAT_NOT_SUPPORTED);
  ASSERT_EQ(set(copy, 0, srgb), CL_SUCCESS);
  ASSERT_EQ(set(copy, 1, other), CL_SUCCESS);
  ASSERT_EQ(set(copy, 2, s), CL_SUCCESS);
  EXPECT_EQ(launch(copy), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue), CL_SUCCESS);
}

// An image is transferred between the memory nodes of the devices that use it.
TEST_F(ImageArguments, OnSeveralDevices) {
  PROVES("API-4.4f API-5.9.2a");
  cl_uint count = 0;
  ASSERT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count), CL_SUCCESS);
  std::vector<cl_device_id> devices(count);
  ASSERT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr), CL_SUCCESS);
  cl_int code = 1;
  Context all = clCreateContext(nullptr, count, devices.data(), nullptr, nullptr, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  program = build("kernel void add(read_only image2d_t from, write_only image2d_t to, uint value) {\n"
                  "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
                  "  write_imageui(to, at, read_imageui(from, at) + value);\n}",
                  all);
  Kernel add = kernel("add");
  const cl_image_format format{CL_RGBA, CL_UNSIGNED_INT8};
  Mem images[] = {flat(0, format, all), flat(0, format, all)};
  std::vector<Queue> queues;
  for (cl_device_id one : devices)
    queues.emplace_back(clCreateCommandQueue(all, one, 0, nullptr));
  const size_t box[3] = {4, 4, 1};
  Bytes model(64);
  ASSERT_EQ(
      clEnqueueWriteImage(queues[0], images[0], CL_TRUE, zero.data(), box, 0, 0, model.data(), 0, nullptr, nullptr),
      CL_SUCCESS);
  for (cl_uint round = 0; round < 60; ++round) {
    cl_command_queue q = queues[round % count];
    const cl_uint value = round % 3;
    ASSERT_EQ(set(add, 0, images[round % 2]), CL_SUCCESS);
    ASSERT_EQ(set(add, 1, images[1 - round % 2]), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(add, 2, sizeof value, &value), CL_SUCCESS);
    ASSERT_EQ(launch(add, q), CL_SUCCESS);
    ASSERT_EQ(clFinish(q), CL_SUCCESS);
    for (unsigned char &byte : model)
      byte = (unsigned char)(byte + value);
    Bytes found(64);
    ASSERT_EQ(clEnqueueReadImage(queues[(round + 1) % count], images[1 - round % 2], CL_TRUE, zero.data(), box, 0, 0,
                                 found.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    ASSERT_EQ(found, model) << round;
  }
}
} // namespace kiln::test
