// Common parts of the API tests. The tests call the ICD loader, as applications do, and use its platform named Kiln.
// There is one file per entry. A test is named after the rule that it breaks or keeps.
#pragma once
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

/// Records the items of tests/FEATURES.md that the test proves.
#define PROVES(ids) RecordProperty("features", ids)

namespace kiln::test {

/// An OpenCL handle that is released when it goes out of scope.
template <typename Handle, cl_int (*release)(Handle)> class Held {
public:
  Held(Handle handle = nullptr) : handle_(handle) {}
  Held(Held &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Held &operator=(Held &&other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Held() { reset(); }
  void reset() {
    if (handle_)
      release(std::exchange(handle_, nullptr));
  }
  Handle get() const { return handle_; }
  operator Handle() const { return handle_; }
  /// Releases the handle and returns its address, for calls that write a new one.
  Handle *out() {
    reset();
    return &handle_;
  }
  const Handle *address() const { return &handle_; }

private:
  Handle handle_;
};
using Context = Held<cl_context, clReleaseContext>;
using Queue = Held<cl_command_queue, clReleaseCommandQueue>;
using Mem = Held<cl_mem, clReleaseMemObject>;
using Program = Held<cl_program, clReleaseProgram>;
using Kernel = Held<cl_kernel, clReleaseKernel>;
using Event = Held<cl_event, clReleaseEvent>;

/// Returns true if KILN_TEST_DEVICE is `last`: tests use the platform's last device in place of the default one.
bool onLastDevice();
/// Returns Kiln's platform, or null if the loader does not find it.
cl_platform_id platform();
/// Whether the program was linked with AddressSanitizer or ThreadSanitizer (tests/sanitized).
bool hasSanitizer();
/// The result of a clGet*Info call: `query<cl_uint>(clGetDeviceInfo, device, CL_DEVICE_MAX_COMPUTE_UNITS)`.
template <typename T, typename Call, typename... Args> T query(Call call, Args... args) {
  T value{};
  size_t size = 0;
  EXPECT_EQ(call(args..., sizeof value, &value, &size), CL_SUCCESS);
  EXPECT_EQ(size, sizeof value);
  return value;
}
template <typename T, typename Call, typename... Args> std::vector<T> queryList(Call call, Args... args) {
  size_t size = 0;
  EXPECT_EQ(call(args..., 0, nullptr, &size), CL_SUCCESS);
  std::vector<T> list(size / sizeof(T));
  EXPECT_EQ(call(args..., size, list.data(), nullptr), CL_SUCCESS);
  return list;
}
template <typename Call, typename... Args> std::string queryText(Call call, Args... args) {
  std::vector<char> text = queryList<char>(call, args...);
  EXPECT_FALSE(text.empty());
  EXPECT_EQ(text.empty() ? 1 : text.back(), 0);
  return text.empty() ? "" : std::string(text.data());
}

/// Checks rule R3 for one query of an object: unknown param_name, too small a buffer, exact size.
template <typename Call, typename Handle, typename... Args>
void expectInfoRules(Call call, Handle handle, cl_uint known, Args... args) {
  size_t size = 0;
  EXPECT_EQ(call(handle, args..., known, 0, nullptr, &size), CL_SUCCESS);
  ASSERT_GT(size, 0u);
  std::vector<char> room(size + 1);
  EXPECT_EQ(call(handle, args..., known, size - 1, room.data(), nullptr), CL_INVALID_VALUE) << "buffer too small";
  EXPECT_EQ(call(handle, args..., known, size + 1, room.data(), nullptr), CL_SUCCESS) << "buffer larger than needed";
  EXPECT_EQ(call(handle, args..., 0xdead, room.size(), room.data(), nullptr), CL_INVALID_VALUE) << "unknown name";
}

class WithDevice : public testing::Test {
protected:
  void SetUp() override;
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
};

class WithContext : public WithDevice {
protected:
  void SetUp() override;
  Mem buffer(size_t size, cl_mem_flags flags = CL_MEM_READ_WRITE, void *host = nullptr, cl_context in = nullptr);
  Context context;
};

class WithQueue : public WithContext {
protected:
  void SetUp() override;
  Queue makeQueue(cl_command_queue_properties properties = 0, cl_context in = nullptr);
  Event userEvent(cl_context in = nullptr);
  /// Reads the first `count` elements of the buffer with a blocking command.
  template <typename T> std::vector<T> read(cl_mem from, size_t count) {
    std::vector<T> data(count);
    EXPECT_EQ(clEnqueueReadBuffer(queue, from, CL_TRUE, 0, count * sizeof(T), data.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    return data;
  }
  Context otherContext; // for rules about objects of another context
  Queue queue;          // in order, with profiling
};

} // namespace kiln::test
