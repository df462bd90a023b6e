// A command buffer of launches (cl_khr_command_buffer).
#pragma once
#include "api/spec/CommandBufferEntries.h"
#include "tests/process/ProcessTest.h"

namespace kiln::test {

/// Failed expectations name the call.
class RecordedLaunches {
public:
  explicit RecordedLaunches(App &app) : queue_(app.queue) {
    EXPECT_EQ(clGetDeviceInfo(app.device, CL_DEVICE_PLATFORM, sizeof platform_, &platform_, nullptr), CL_SUCCESS);
    cl_int code = 1;
    buffer_ = entry<khr::clCreateCommandBufferKHR_t>("clCreateCommandBufferKHR")(1, &queue_, nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
  }
  ~RecordedLaunches() {
    EXPECT_EQ(entry<khr::clReleaseCommandBufferKHR_t>("clReleaseCommandBufferKHR")(buffer_), CL_SUCCESS);
  }
  RecordedLaunches(const RecordedLaunches &) = delete;

  /// Records a launch with the arguments that the kernel has now. `local` 0: Kiln chooses the local size.
  void add(cl_kernel kernel, size_t items, size_t local = 0) {
    auto *record = entry<khr::clCommandNDRangeKernelKHR_t>("clCommandNDRangeKernelKHR");
    EXPECT_EQ(record(buffer_, nullptr, nullptr, kernel, 1, nullptr, &items, local ? &local : nullptr, 0, nullptr,
                     nullptr, nullptr),
              CL_SUCCESS);
  }
  void fill(cl_mem memory, int value, size_t count) {
    auto *record = entry<khr::clCommandFillBufferKHR_t>("clCommandFillBufferKHR");
    EXPECT_EQ(record(buffer_, nullptr, nullptr, memory, &value, sizeof value, 0, count * sizeof value, 0, nullptr,
                     nullptr, nullptr),
              CL_SUCCESS);
  }
  /// Ends the recording, executes it this number of times, and waits.
  void execute(int times) {
    EXPECT_EQ(entry<khr::clFinalizeCommandBufferKHR_t>("clFinalizeCommandBufferKHR")(buffer_), CL_SUCCESS);
    auto *enqueue = entry<khr::clEnqueueCommandBufferKHR_t>("clEnqueueCommandBufferKHR");
    for (int i = 0; i < times; ++i)
      EXPECT_EQ(enqueue(0, nullptr, buffer_, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  }

private:
  template <typename Function> Function *entry(const char *name) const {
    return reinterpret_cast<Function *>(clGetExtensionFunctionAddressForPlatform(platform_, name));
  }

  cl_command_queue queue_;
  cl_platform_id platform_ = nullptr;
  cl_command_buffer_khr buffer_ = nullptr;
};

} // namespace kiln::test
