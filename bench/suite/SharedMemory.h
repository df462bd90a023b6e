// Shared virtual memory (OpenCL 2.0) for the benchmarks and the demo. Must be included before any other OpenCL header.
#pragma once
#define CL_TARGET_OPENCL_VERSION 200
#include "bench/opencl/Opencl.h"
#include <span>

namespace bench {

/// Returns true if the device supports any kind of shared virtual memory.
inline bool hasSharedMemory(cl_device_id device) {
  cl_device_svm_capabilities capabilities = 0;
  return clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof(capabilities), &capabilities, nullptr) ==
             CL_SUCCESS &&
         capabilities;
}

/// An array in shared virtual memory: one address on host and device. The host may access it only while it is mapped.
template <typename T> class Shared {
public:
  Shared(const Session &session, size_t count)
      : session_(session), count_(count),
        data_(static_cast<T *>(clSVMAlloc(session.context, CL_MEM_READ_WRITE, count * sizeof(T), 0))) {
    if (!data_)
      throw std::runtime_error("clSVMAlloc returned null");
  }
  ~Shared() { clSVMFree(session_.context, data_); }
  Shared(const Shared &) = delete;

  T *data() const { return data_; }
  /// Maps the array, calls `use` with all elements, and unmaps it.
  template <typename Use> void mapped(Use use) const {
    check(clEnqueueSVMMap(session_.queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, data_, count_ * sizeof(T), 0, nullptr,
                          nullptr),
          "clEnqueueSVMMap");
    use(std::span<T>(data_, count_));
    check(clEnqueueSVMUnmap(session_.queue, data_, 0, nullptr, nullptr), "clEnqueueSVMUnmap");
  }
  void setArgument(cl_kernel kernel, cl_uint index) const {
    check(clSetKernelArgSVMPointer(kernel, index, data_), "clSetKernelArgSVMPointer");
  }

private:
  const Session &session_;
  const size_t count_;
  T *const data_;
};

/// A node of kernels/pointer_chasing.cl, with the address of the next node.
struct Node {
  const Node *next;
  int32_t value, unused;
};

} // namespace bench
