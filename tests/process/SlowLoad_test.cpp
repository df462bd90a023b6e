// Where a driver takes long to load code, because it assembles it in the process, short programs request no variants:
// the process could not end during the load.
#include "tests/process/ProcessTest.h"
#include <chrono>
#include <thread>

namespace kiln::test {
namespace {

constexpr size_t Items = 4096, LocalSize = 64;
constexpr const char *Ready = "the variant of k for local size 64x1x1 is ready";

struct SlowLoad : ProcessTest {
  const Environment environment{{"KILN_DEVICES", "cuda"},
                                {"KILN_CUDA_LIBRARY", KILN_FAKE_CUDA},
                                {"KILN_FAKE_LOAD", "100"},
                                {"KILN_LOG", "info,program"}};
  /// A kernel whose plan asks for variants of local sizes on NVIDIA's GPUs.
  struct Launches {
    Launches() : app(CL_DEVICE_TYPE_GPU) {
      program = app.source("kernel void k(global int *p) {\n"
                           "  int sum = 0;\n"
                           "  for (size_t i = 0; i < get_local_size(0); ++i)\n"
                           "    sum += p[i];\n"
                           "  p[get_global_id(0)] = sum;\n"
                           "}\n");
      EXPECT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
      cl_int code = 1;
      kernel = clCreateKernel(program, "k", &code);
      buffer = clCreateBuffer(app.context, 0, Items * sizeof(int), nullptr, &code);
      EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), buffer.address()), CL_SUCCESS);
    }
    void launch() {
      EXPECT_EQ(clEnqueueNDRangeKernel(app.queue, kernel, 1, nullptr, &Items, &LocalSize, 0, nullptr, nullptr),
                CL_SUCCESS);
      EXPECT_EQ(clFinish(app.queue), CL_SUCCESS);
    }
    App app;
    Program program;
    Kernel kernel;
    Mem buffer;
  };
};

TEST_F(SlowLoad, NoVariantSoonAfterTheFirstLaunch) {
  inNewProcessWithErrors(
      [] {
        Launches launches;
        for (int i = 0; i < 10; ++i)
          launches.launch();
        std::this_thread::sleep_for(std::chrono::seconds(3)); // longer than the variant would take
      },
      environment);
  EXPECT_EQ(errors.find(Ready), std::string::npos) << errors;
}

TEST_F(SlowLoad, VariantForAProgramThatGoesOn) {
  inNewProcessWithErrors(
      [this] {
        Launches launches;
        for (int i = 0; i < 1000 && contentOf(folder + "/errors").find(Ready) == std::string::npos; ++i) {
          launches.launch();
          std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
      },
      environment);
  EXPECT_NE(errors.find(Ready), std::string::npos) << errors;
}

} // namespace
} // namespace kiln::test
