// One suite for every device, over OpenCL's API alone. A test for which a device lacks a feature is skipped, with the
// reason.
//
// KILN_SUITE_PLATFORM selects another platform than Kiln, which checks the tests themselves.
#pragma once
#include "tests/api/ApiTest.h"
#include <array>
#include <random>

namespace kiln::suite {

using test::Context;
using test::Event;
using test::Kernel;
using test::Mem;
using test::Program;
using test::query;
using test::queryList;
using test::queryText;
using test::Queue;

/// The platform under test, and its devices.
cl_platform_id platform();
const std::vector<cl_device_id> &devices();

/// The name of a device in a test's name.
struct DeviceIndex {
  size_t index;
  friend std::ostream &operator<<(std::ostream &out, const DeviceIndex &device);
};
std::vector<DeviceIndex> deviceIndices();
std::string deviceLabel(const testing::TestParamInfo<DeviceIndex> &info);
#define ON_EVERY_DEVICE(suite) INSTANTIATE_TEST_SUITE_P(, suite, testing::ValuesIn(deviceIndices()), deviceLabel)

/// A context with devices of the platform, and what tests do in it.
class InContext : public testing::Test {
protected:
  void open(const std::vector<cl_device_id> &which);
  Queue makeQueue(cl_device_id device, cl_command_queue_properties properties = 0);
  Mem buffer(size_t bytes, cl_mem_flags flags = CL_MEM_READ_WRITE, void *host = nullptr);
  template <typename T> Mem buffer(std::vector<T> values) {
    return buffer(values.size() * sizeof(T), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, values.data());
  }
  Program build(const char *source, const char *options = "");
  Kernel kernel(cl_program program, const char *name);
  void set(cl_kernel, cl_uint) {}
  template <typename... Rest> void set(cl_kernel kernel, cl_uint index, const Mem &value, const Rest &...rest) {
    EXPECT_EQ(clSetKernelArg(kernel, index, sizeof(cl_mem), value.address()), CL_SUCCESS) << "argument " << index;
    set(kernel, index + 1, rest...);
  }
  struct LocalBytes {
    size_t bytes;
  };
  template <typename... Rest> void set(cl_kernel kernel, cl_uint index, const LocalBytes &value, const Rest &...rest) {
    EXPECT_EQ(clSetKernelArg(kernel, index, value.bytes, nullptr), CL_SUCCESS) << "argument " << index;
    set(kernel, index + 1, rest...);
  }
  template <typename T, typename... Rest>
  void set(cl_kernel kernel, cl_uint index, const T &value, const Rest &...rest) {
    EXPECT_EQ(clSetKernelArg(kernel, index, sizeof value, &value), CL_SUCCESS) << "argument " << index;
    set(kernel, index + 1, rest...);
  }
  void launch(cl_command_queue queue, cl_kernel kernel, std::vector<size_t> global, std::vector<size_t> local = {},
              std::vector<size_t> offset = {}, std::vector<cl_event> waits = {}, cl_event *event = nullptr);
  template <typename T> std::vector<T> read(cl_command_queue queue, cl_mem from, size_t count, size_t offset = 0) {
    std::vector<T> values(count);
    EXPECT_EQ(clEnqueueReadBuffer(queue, from, CL_TRUE, offset * sizeof(T), count * sizeof(T), values.data(), 0,
                                  nullptr, nullptr),
              CL_SUCCESS);
    return values;
  }
  Context context;
};

/// The same with one device and an in-order queue.
class OnDevice : public InContext, public testing::WithParamInterface<DeviceIndex> {
protected:
  void SetUp() override;
  using InContext::launch;
  using InContext::read;
  void launch(cl_kernel kernel, std::vector<size_t> global, std::vector<size_t> local = {},
              std::vector<size_t> offset = {}) {
    launch(queue, kernel, std::move(global), std::move(local), std::move(offset));
  }
  template <typename T> std::vector<T> read(cl_mem from, size_t count) { return read<T>(queue, from, count); }
  bool has(const std::string &extension) const;
  bool fp64() const { return query<cl_device_fp_config>(clGetDeviceInfo, device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0; }
  /// Builds `source` and runs its kernel `run` over `items` work-items with these buffers and values.
  template <typename... Arguments>
  void runKernel(const char *source, std::vector<size_t> global, std::vector<size_t> local,
                 const Arguments &...arguments) {
    Program program = build(source);
    if (testing::Test::HasFatalFailure() || !program)
      return;
    Kernel run = kernel(program, "run");
    ASSERT_NE(run, nullptr);
    set(run, 0, arguments...);
    launch(run, std::move(global), std::move(local));
    ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  }
  cl_device_id device = nullptr;
  Queue queue;
};

std::vector<unsigned char> randomBytes(size_t count, unsigned seed);
template <typename T> std::vector<T> counted(size_t count, T first = 0) {
  std::vector<T> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

} // namespace kiln::suite
