// A variant that is compiled when the process ends is finished, and the next process finds it in the cache.
#include "tests/process/ProcessTest.h"
#include <algorithm>
#include <filesystem>
#include <thread>
#include <unistd.h>

namespace kiln::test {
namespace {

constexpr size_t Items = 4096, LocalSize = 64;

/// A kernel whose variant for a local size takes longer to compile than a process takes to end.
std::string slowKernel() {
  std::string text = "kernel void k(global int *p) {\n  local int shared[64];\n  int sum = get_local_id(0);\n";
  for (int i = 0; i < 24; ++i) {
    const std::string n = std::to_string(i);
    text += "  shared[get_local_id(0)] = sum + p[get_global_id(0)];\n  barrier(CLK_LOCAL_MEM_FENCE);\n"
            "  for (size_t i = 0; i < get_local_size(0); i += " +
            std::to_string(i % 5 + 1) +
            ")\n"
            "    sum += shared[i] * " +
            n + " + (shared[i] > " + n +
            " ? sum : -sum);\n"
            "  barrier(CLK_LOCAL_MEM_FENCE);\n";
  }
  return text + "  p[get_global_id(0)] = sum;\n}\n";
}

struct LeftBehindVariant : ProcessTest {
  size_t codeFiles() const {
    size_t count = 0;
    std::error_code ignored;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder + "/cache", ignored))
      count += entry.path().extension() == ".so";
    return count;
  }
  /// Requests the variant, and ends the process `milliseconds` later.
  static void requestVariant(int milliseconds) {
    App app;
    Program program = app.source(slowKernel());
    ASSERT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
    cl_int code = 1;
    Kernel kernel = clCreateKernel(program, "k", &code);
    Mem buffer = clCreateBuffer(app.context, 0, Items * sizeof(int), nullptr, &code);
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), buffer.address()), CL_SUCCESS);
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(clEnqueueNDRangeKernel(app.queue, kernel, 1, nullptr, &Items, &LocalSize, 0, nullptr, nullptr),
                CL_SUCCESS);
    EXPECT_EQ(clFinish(app.queue), CL_SUCCESS);
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  }
  /// Waits until the cache has `count` files with code.
  bool hasCodeFilesWithin(size_t count, int milliseconds) const {
    for (int waited = 0; codeFiles() < count; waited += 20) {
      if (waited > milliseconds)
        return false;
      usleep(20'000);
    }
    return true;
  }
};

TEST_F(LeftBehindVariant, IsInTheCacheOfTheNextProcess) {
  inNewProcess([] { requestVariant(100); });
  ASSERT_EQ(codeFiles(), 1u) << "the variant was ready when the process ended: the kernel is too small";
  ASSERT_TRUE(hasCodeFilesWithin(2, 60'000));
  inNewProcessWithErrors([] { requestVariant(1000); }, {{"KILN_LOG", "debug"}});
  size_t cached = 0;
  for (size_t at = 0; (at = errors.find(" is cached", at)) != std::string::npos; ++at)
    ++cached;
  EXPECT_NE(errors.find("the variant of k for local size 64x1x1 is ready"), std::string::npos) << errors;
  EXPECT_GE(cached, 3u) << "source, generic variant, variant:\n" << errors;
}

TEST_F(LeftBehindVariant, IsGivenUpIfTheSwitchIsOff) {
  inNewProcess([] { requestVariant(100); }, {{"KILN_FINISH_VARIANTS", "off"}});
  EXPECT_EQ(codeFiles(), 1u);
  EXPECT_FALSE(hasCodeFilesWithin(2, 2'000));
}

} // namespace
} // namespace kiln::test
