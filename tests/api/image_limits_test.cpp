// A kernel that uses the reported maximum number of images and samplers, and a kernel with one more.
#include "tests/api/ImageKernels.h"

namespace kiln::test {

struct ImageLimits : WithImageKernels {
  struct Uses {
    size_t read = 0, write = 0, readWrite = 0, samplers = 0;
  };
  Uses most() {
    auto limit = [&](cl_device_info what) { return size_t(query<cl_uint>(clGetDeviceInfo, device, what)); };
    return {limit(CL_DEVICE_MAX_READ_IMAGE_ARGS), limit(CL_DEVICE_MAX_WRITE_IMAGE_ARGS),
            limit(CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS), limit(CL_DEVICE_MAX_SAMPLERS)};
  }
  /// The source of a kernel `all` with these numbers of images r<i>, w<i> and b<i> and samplers s<i>, and a buffer. It
  /// copies r<i> to out[i], writes i to w<i> and adds i to b<i>. Sampler s<i> reads r<i> outside the image. Without
  /// `runs` the body is empty.
  static std::string textOf(const Uses &uses, bool runs) {
    std::string arguments, body;
    auto number = [](size_t i) { return std::to_string(i); };
    for (size_t i = 0; i < uses.read; ++i) {
      arguments += "read_only image2d_t r" + number(i) + ", ";
      body += "  out[" + number(i) + "] = read_imageui(r" + number(i) + ", (int2)(0, 0)).x;\n";
    }
    for (size_t i = 0; i < uses.write; ++i) {
      arguments += "write_only image2d_t w" + number(i) + ", ";
      body += "  write_imageui(w" + number(i) + ", (int2)(0, 0), " + number(i) + ");\n";
    }
    for (size_t i = 0; i < uses.readWrite; ++i) {
      arguments += "read_write image2d_t b" + number(i) + ", ";
      body += "  write_imageui(b" + number(i) + ", (int2)(0, 0), read_imageui(b" + number(i) + ", (int2)(0, 0)) + " +
              number(i) + ");\n";
    }
    for (size_t i = 0; i < uses.samplers; ++i) {
      arguments += "sampler_t s" + number(i) + ", ";
      if (i < uses.read)
        body += "  out[" + number(uses.read + i) + "] = read_imageui(r" + number(i) + ", s" + number(i) +
                ", (float2)(1.25f, 0)).x;\n";
    }
    return "kernel void all(" + arguments + "global uint *out) {\n" + (runs ? body : "") + "}\n";
  }
  Mem one(uint32_t value) {
    const cl_image_desc wanted = description(CL_MEM_OBJECT_IMAGE2D, {2, 1, 1});
    uint32_t pixels[] = {value, value + 1000};
    return create(CL_SUCCESS, CL_MEM_COPY_HOST_PTR, {CL_R, CL_UNSIGNED_INT32}, wanted, pixels);
  }
  /// Launches the kernel, and checks its results if `code` is CL_SUCCESS.
  void expect(cl_int code, const Uses &uses) {
    SCOPED_TRACE(std::to_string(uses.read) + " " + std::to_string(uses.write) + " " + std::to_string(uses.readWrite) +
                 " " + std::to_string(uses.samplers));
    Program program = images(textOf(uses, code == CL_SUCCESS));
    Kernel all = kernel(program, "all");
    ASSERT_NE(all, nullptr);
    std::vector<Mem> made;
    std::vector<Sampler> samplers;
    cl_uint index = 0;
    for (size_t i = 0; i < uses.read + uses.write + uses.readWrite; ++i) {
      made.push_back(one(uint32_t(10 * i)));
      ASSERT_EQ(set(all, index++, made.back()), CL_SUCCESS);
    }
    // Outside the image these modes read the second pixel, the first pixel, and the border.
    const cl_addressing_mode modes[] = {CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_REPEAT, CL_ADDRESS_CLAMP};
    for (size_t i = 0; i < uses.samplers; ++i) {
      cl_int made = 1;
      cl_sampler_properties list[] = {CL_SAMPLER_ADDRESSING_MODE, modes[i % 3], CL_SAMPLER_NORMALIZED_COORDS, CL_TRUE,
                                      0};
      samplers.emplace_back(clCreateSamplerWithProperties(context, list, &made));
      ASSERT_EQ(made, CL_SUCCESS);
      ASSERT_EQ(set(all, index++, samplers.back()), CL_SUCCESS);
    }
    Mem out = buffer((uses.read + uses.samplers + 1) * sizeof(uint32_t));
    ASSERT_EQ(set(all, index, out), CL_SUCCESS);
    ASSERT_EQ(launch(all, 1), code);
    if (code != CL_SUCCESS)
      return;
    std::vector<uint32_t> found = read<uint32_t>(out, uses.read + uses.samplers + 1);
    for (size_t i = 0; i < uses.read; ++i)
      EXPECT_EQ(found[i], 10 * i);
    for (size_t i = 0; i < std::min(uses.samplers, uses.read); ++i)
      EXPECT_EQ(found[uses.read + i], i % 3 == 0 ? 10 * i + 1000 : i % 3 == 1 ? 10 * i : 0) << "sampler " << i;
    auto pixel = [&](size_t at) {
      uint32_t value = 0;
      EXPECT_EQ(readTo(&value, made[at], {0, 0, 0}, {1, 1, 1}), CL_SUCCESS);
      return value;
    };
    for (size_t i = 0; i < uses.write; ++i)
      EXPECT_EQ(pixel(uses.read + i), i);
    for (size_t i = 0, first = uses.read + uses.write; i < uses.readWrite; ++i)
      EXPECT_EQ(pixel(first + i), 10 * (first + i) + i);
  }
};

TEST_F(ImageLimits, ManyImagesToReadAndToWrite) {
  PROVES("LIM-07 LIM-08 LIM-14");
  const Uses most = this->most();
  EXPECT_GE(most.read, 128u);
  EXPECT_GE(most.write, 64u);
  EXPECT_GE(most.samplers, 16u);
  expect(CL_SUCCESS, {.read = most.read, .write = most.write, .samplers = most.samplers});
}

TEST_F(ImageLimits, ManyImagesToReadAndWrite) {
  PROVES("LIM-09");
  const Uses most = this->most();
  EXPECT_GE(most.readWrite, 64u);
  expect(CL_SUCCESS, {.readWrite = most.readWrite});
}

TEST_F(ImageLimits, OneTooMany) {
  PROVES("LIM-43 LIM-07 LIM-08 LIM-09 LIM-14 API-5.10b");
  const Uses most = this->most();
  expect(CL_OUT_OF_RESOURCES, {.read = most.read + 1});
  expect(CL_OUT_OF_RESOURCES, {.write = most.write + 1});
  expect(CL_OUT_OF_RESOURCES, {.readWrite = most.readWrite + 1});
  expect(CL_OUT_OF_RESOURCES, {.samplers = most.samplers + 1});
}

} // namespace kiln::test
