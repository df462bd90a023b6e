// KILN_CHECK=memory: accesses of images at coordinates outside of them, which OpenCL C does not define.
#include "tests/process/ProcessTest.h"

namespace kiln::test {
namespace {

using Sampler = Held<cl_sampler, clReleaseSampler>;

/// An image of 8 x 4 pixels of one int each, with 3 layers if it is an array, and a buffer of ints.
struct Bench : App {
  Program program;
  Mem image, out;
  Bench(cl_device_type device, cl_mem_object_type type) : App(device) {
    const cl_image_format format{CL_R, CL_SIGNED_INT32};
    cl_image_desc description{};
    description.image_type = type;
    description.image_width = 8;
    description.image_height = type == CL_MEM_OBJECT_IMAGE1D || type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 0 : 4;
    description.image_depth = type == CL_MEM_OBJECT_IMAGE3D ? 3 : 0;
    description.image_array_size = type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? 3 : 0;
    std::vector<int> pixels(96, 5);
    cl_int code = 1;
    image = clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &description, pixels.data(), &code);
    EXPECT_EQ(code, CL_SUCCESS);
    std::vector<int> ints(64, -1);
    out = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 256, ints.data(), nullptr);
  }
  /// Runs `kernel void k(image, global int *out, ...)` of one dimension. Returns the ints.
  std::vector<int> run(const std::string &text, size_t items, const Sampler *sampler = nullptr,
                       const char *options = "-cl-std=CL3.0") {
    program = source(text);
    EXPECT_EQ(build(program, options), CL_SUCCESS) << log(program);
    Kernel kernel = clCreateKernel(program, "k", nullptr);
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), image.address()), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof(cl_mem), out.address()), CL_SUCCESS);
    if (sampler)
      EXPECT_EQ(clSetKernelArg(kernel, 2, sizeof(cl_sampler), sampler->address()), CL_SUCCESS);
    EXPECT_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    std::vector<int> ints(64);
    EXPECT_EQ(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 256, ints.data(), 0, nullptr, nullptr), CL_SUCCESS);
    ints.resize(items);
    return ints;
  }
};

/// On the CPU, or on an emulated GPU.
struct CheckImages : ProcessTest, testing::WithParamInterface<bool> {
  static cl_device_type device() { return GetParam() ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_CPU; }
  void check(cl_mem_object_type type, const std::function<void(Bench &)> &situation, const char *width = "0") {
    Environment environment{{"KILN_CHECK", "memory"}, {"KILN_CPU_THREADS", "1"}, {"KILN_CPU_MACHINE_WIDTH", width}};
    if (GetParam())
      environment.insert(environment.end(), {{"KILN_DEVICES", "hip"}, {"KILN_HIP_LIBRARY", KILN_EMULATOR}});
    inNewProcessWithErrors(
        [&] {
          Bench bench(device(), type);
          situation(bench);
        },
        environment);
  }
  void expectReport(const std::string &words) const {
    EXPECT_NE(errors.find(words), std::string::npos) << words << "\n" << errors;
  }
  void expectNothing() const { EXPECT_EQ(errors.find("check:"), std::string::npos) << errors; }
};

INSTANTIATE_TEST_SUITE_P(OnCpuAndGpu, CheckImages, testing::Bool(),
                         [](const auto &test) { return test.param ? "Gpu" : "Cpu"; });

constexpr const char *Read = "kernel void k(read_only image2d_t from, global int *out) {\n"
                             "  int i = get_global_id(0);\n"
                             "  out[i] = read_imagei(from, (int2)(i, 1)).x;\n}\n";

TEST_P(CheckImages, ReadWithoutASampler) {
  for (const char *width : {"1", "0"}) {
    check(
        CL_MEM_OBJECT_IMAGE2D,
        [](Bench &bench) { EXPECT_EQ(bench.run(Read, 10), (std::vector<int>{5, 5, 5, 5, 5, 5, 5, 5, 0, 0})); }, width);
    expectReport("check: kernel k reads outside of the image of argument 0 (from), which has 8 x 4 pixels: at (8, 1)\n"
                 "  line 3: out[i] = read_imagei(from, (int2)(i, 1)).x;\n"
                 "  work-item (8), local id (8) in work-group (0)\n"
                 "  created at kiln-process-tests+0x");
    expectReport("check: 1 findings, which occurred 2 times");
  }
}

TEST_P(CheckImages, ReadFarOutside) {
  check(CL_MEM_OBJECT_IMAGE2D, [](Bench &bench) {
    bench.run("kernel void k(read_only image2d_t from, global int *out) {\n"
              "  out[0] = read_imagei(from, (int2)(out[1] - 2147483647, 2147483647)).x;\n}\n",
              1);
  });
  expectReport("which has 8 x 4 pixels: at (-2147483648, 2147483647)\n  line 2");
}

TEST_P(CheckImages, ReadsInside) {
  check(CL_MEM_OBJECT_IMAGE2D, [](Bench &bench) { bench.run(Read, 8); });
  expectNothing();
}

TEST_P(CheckImages, Write) {
  check(CL_MEM_OBJECT_IMAGE2D, [](Bench &bench) {
    bench.run("kernel void k(write_only image2d_t to, global int *out) {\n"
              "  int i = get_global_id(0);\n"
              "  write_imagei(to, (int2)(3, i - 1), (int4)(9));\n}\n",
              5);
    const size_t origin[3] = {3, 0, 0}, region[3] = {1, 4, 1};
    std::vector<int> column(4);
    EXPECT_EQ(
        clEnqueueReadImage(bench.queue, bench.image, CL_TRUE, origin, region, 0, 0, column.data(), 0, nullptr, nullptr),
        CL_SUCCESS);
    EXPECT_EQ(column, std::vector<int>(4, 9));
  });
  expectReport("check: kernel k writes outside of the image of argument 0 (to), which has 8 x 4 pixels: at (3, -1)\n"
               "  line 3: write_imagei(to, (int2)(3, i - 1), (int4)(9));\n  work-item (0)");
  expectReport("check: 1 findings, which occurred 1 times");
}

// A sampler with an addressing mode defines reads outside; one without does not, as a constant and as an argument.
TEST_P(CheckImages, Samplers) {
  const std::string constant = "constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST | MODE;\n"
                               "kernel void k(read_only image2d_t from, global int *out) {\n"
                               "  int i = get_global_id(0);\n"
                               "  out[i] = read_imagei(from, s, (int2)(i, 1)).x;\n}\n";
  for (const char *mode : {"CLK_ADDRESS_CLAMP", "CLK_ADDRESS_CLAMP_TO_EDGE"}) {
    const std::string options = std::string("-DMODE=") + mode;
    check(CL_MEM_OBJECT_IMAGE2D, [&](Bench &bench) { bench.run(constant, 10, nullptr, options.c_str()); });
    expectNothing();
  }
  check(CL_MEM_OBJECT_IMAGE2D, [&](Bench &bench) { bench.run(constant, 10, nullptr, "-DMODE=CLK_ADDRESS_NONE"); });
  expectReport("which has 8 x 4 pixels: at (8, 1)\n  line 4");

  const std::string argument = "kernel void k(read_only image2d_t from, global int *out, sampler_t s) {\n"
                               "  int i = get_global_id(0);\n"
                               "  out[i] = read_imagei(from, s, (float2)(i + 0.5f, 1)).x;\n}\n";
  for (cl_addressing_mode mode : {CL_ADDRESS_NONE, CL_ADDRESS_CLAMP}) {
    check(CL_MEM_OBJECT_IMAGE2D, [&](Bench &bench) {
      Sampler sampler = clCreateSampler(bench.context, CL_FALSE, mode, CL_FILTER_NEAREST, nullptr);
      bench.run(argument, 10, &sampler);
    });
    if (mode == CL_ADDRESS_NONE)
      expectReport("which has 8 x 4 pixels: at (8.5, 1)\n  line 3");
    else
      expectNothing();
  }
}

TEST_P(CheckImages, NormalizedCoordinates) {
  check(CL_MEM_OBJECT_IMAGE2D, [](Bench &bench) {
    bench.run("constant sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_FILTER_NEAREST | CLK_ADDRESS_NONE;\n"
              "kernel void k(read_only image2d_t from, global int *out) {\n"
              "  int i = get_global_id(0);\n"
              "  out[i] = read_imagei(from, s, (float2)(0.25f * i, 0.5f)).x;\n}\n",
              5);
  });
  expectReport("which has 8 x 4 pixels: at (1, 0.5)\n  line 4");
  expectReport("check: 1 findings, which occurred 1 times");
}

// The layer of a read is clamped (OpenCL C 6.15.15.1); that of a write has to exist.
TEST_P(CheckImages, Layers) {
  check(CL_MEM_OBJECT_IMAGE2D_ARRAY, [](Bench &bench) {
    bench.run("kernel void k(read_only image2d_array_t from, global int *out) {\n"
              "  int i = get_global_id(0);\n"
              "  out[i] = read_imagei(from, (int4)(0, 1, i, 0)).x;\n}\n",
              5);
  });
  expectNothing();
  check(CL_MEM_OBJECT_IMAGE2D_ARRAY, [](Bench &bench) {
    bench.run("kernel void k(write_only image2d_array_t to, global int *out) {\n"
              "  int i = get_global_id(0);\n"
              "  write_imagei(to, (int4)(0, 1, i, 0), (int4)(9));\n}\n",
              5);
  });
  expectReport("the image of argument 0 (to), which has 8 x 4 pixels and 3 layers: at (0, 1, 3)");
  check(CL_MEM_OBJECT_IMAGE1D_ARRAY, [](Bench &bench) {
    bench.run("kernel void k(write_only image1d_array_t to, global int *out) {\n"
              "  int i = get_global_id(0);\n"
              "  write_imagei(to, (int2)(7, i), (int4)(9));\n}\n",
              4);
  });
  expectReport("which has 8 pixels and 3 layers: at (7, 3)");
}

TEST_P(CheckImages, ThreeDimensionsInAFunction) {
  check(CL_MEM_OBJECT_IMAGE3D, [](Bench &bench) {
    bench.run("int get(read_only image3d_t from, int z) {\n"
              "  return read_imagei(from, (int4)(1, 2, z, 0)).x;\n}\n"
              "kernel void k(read_only image3d_t from, global int *out) {\n"
              "  int i = get_global_id(0);\n"
              "  out[i] = get(from, i);\n}\n",
              4);
  });
  expectReport("which has 8 x 4 x 3 pixels: at (1, 2, 3)\n"
               "  line 2: return read_imagei(from, (int4)(1, 2, z, 0)).x;\n  work-item (3)");
}

// In a branch that the work-items outside do not take.
TEST_P(CheckImages, GuardedAccess) {
  check(CL_MEM_OBJECT_IMAGE1D, [](Bench &bench) {
    bench.run("kernel void k(read_only image1d_t from, global int *out) {\n"
              "  int i = get_global_id(0);\n"
              "  if (i < get_image_width(from))\n    out[i] = read_imagei(from, i).x;\n}\n",
              16);
  });
  expectNothing();
}

} // namespace
} // namespace kiln::test
