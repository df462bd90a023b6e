// OpenCL for the benchmarks and the demo: handles that release themselves, and errors that throw. Uses only OpenCL 1.2,
// except SharedMemory.h, Pipes.h and DeviceQueues.h, so that the same program runs on any platform.
#pragma once
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bench {

/// "clSetKernelArg returned -48 (CL_INVALID_KERNEL)"
std::string failureOf(const char *call, cl_int code);
/// Throws this sentence unless the code is CL_SUCCESS.
inline void check(cl_int code, const char *call) {
  if (code != CL_SUCCESS)
    throw std::runtime_error(failureOf(call, code));
}

/// Owns one reference of a handle and releases it in the destructor.
template <typename Handle, cl_int(CL_API_CALL *release)(Handle)> class OwnedHandle {
public:
  OwnedHandle(Handle handle = nullptr) : handle_(handle) {}
  OwnedHandle(OwnedHandle &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  OwnedHandle &operator=(OwnedHandle other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~OwnedHandle() {
    if (handle_)
      release(handle_);
  }
  operator Handle() const { return handle_; }
  /// For calls that return the handle through a pointer.
  Handle *out() {
    *this = OwnedHandle();
    return &handle_;
  }

private:
  Handle handle_;
};
using Context = OwnedHandle<cl_context, clReleaseContext>;
using Queue = OwnedHandle<cl_command_queue, clReleaseCommandQueue>;
using Program = OwnedHandle<cl_program, clReleaseProgram>;
using Kernel = OwnedHandle<cl_kernel, clReleaseKernel>;
using Mem = OwnedHandle<cl_mem, clReleaseMemObject>;
using Sampler = OwnedHandle<cl_sampler, clReleaseSampler>;
using Event = OwnedHandle<cl_event, clReleaseEvent>;

/// The string that a clGet*Info call returns: text(clGetDeviceInfo, device, CL_DEVICE_NAME).
template <typename Query, typename Object> std::string text(Query query, Object object, cl_uint what) {
  size_t size = 0;
  check(query(object, what, 0, nullptr, &size), "clGet*Info");
  std::string result(size, '\0');
  check(query(object, what, size, result.data(), nullptr), "clGet*Info");
  while (!result.empty() && result.back() == '\0')
    result.pop_back();
  return result;
}

/// The first platform whose name contains `name`. If there is none, throws an error that lists the platforms.
cl_platform_id findPlatform(std::string_view name);
std::vector<cl_device_id> devicesOf(cl_platform_id platform);

/// Builds the program; throws with the build log if that fails.
void buildProgram(cl_device_id device, cl_program program, const char *options);

/// One device with a separate context and an in-order queue.
struct Session {
  explicit Session(cl_device_id device);

  Program build(std::string_view source, const char *options = "") const;
  Kernel kernel(cl_program program, const char *name) const;
  Mem buffer(size_t bytes, cl_mem_flags flags = CL_MEM_READ_WRITE) const;
  template <typename T> Mem buffer(const std::vector<T> &content) const {
    Mem made = buffer(content.size() * sizeof(T));
    write(made, content);
    return made;
  }
  template <typename T> void write(cl_mem to, const std::vector<T> &from) const {
    check(clEnqueueWriteBuffer(queue, to, CL_TRUE, 0, from.size() * sizeof(T), from.data(), 0, nullptr, nullptr),
          "clEnqueueWriteBuffer");
  }
  template <typename T> std::vector<T> read(cl_mem from, size_t count) const {
    std::vector<T> content(count);
    check(clEnqueueReadBuffer(queue, from, CL_TRUE, 0, count * sizeof(T), content.data(), 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
    return content;
  }
  /// Enqueues the kernel over `global`. If `local` is empty, the runtime chooses the local size.
  void launch(cl_kernel kernel, std::initializer_list<size_t> global, std::initializer_list<size_t> local = {},
              cl_event *event = nullptr) const {
    check(clEnqueueNDRangeKernel(queue, kernel, cl_uint(global.size()), nullptr, global.begin(),
                                 local.size() ? local.begin() : nullptr, 0, nullptr, event),
          "clEnqueueNDRangeKernel");
  }
  void finish() const { check(clFinish(queue), "clFinish"); }

  cl_device_id device;
  Context context;
  Queue queue;
};

/// A kernel argument in local memory.
struct Local {
  size_t bytes;
};

namespace detail {
template <typename T> void setArgument(cl_kernel kernel, cl_uint index, const T &value) {
  check(clSetKernelArg(kernel, index, sizeof(T), &value), "clSetKernelArg");
}
template <typename Handle, cl_int(CL_API_CALL *release)(Handle)>
void setArgument(cl_kernel kernel, cl_uint index, const OwnedHandle<Handle, release> &value) {
  Handle handle = value;
  check(clSetKernelArg(kernel, index, sizeof(handle), &handle), "clSetKernelArg");
}
inline void setArgument(cl_kernel kernel, cl_uint index, const Local &value) {
  check(clSetKernelArg(kernel, index, value.bytes, nullptr), "clSetKernelArg");
}
} // namespace detail

/// Sets all arguments, starting at index 0.
template <typename... Values> void arguments(cl_kernel kernel, const Values &...values) {
  cl_uint index = 0;
  (detail::setArgument(kernel, index++, values), ...);
}

/// The text of bench/kernels/<name>.cl, which the build embeds in the program.
std::string_view kernelSource(std::string_view name);

} // namespace bench
