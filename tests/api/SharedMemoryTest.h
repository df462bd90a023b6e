// Common parts of the SVM and USM tests.
#pragma once
#include "tests/api/ProgramTest.h"
#include <memory>

namespace kiln::test {

struct SharedMemoryTest : WithProgram {
  /// Returns true if the device has fine-grain system SVM.
  bool sharesSystemMemory() {
    return query<cl_device_svm_capabilities>(clGetDeviceInfo, device, CL_DEVICE_SVM_CAPABILITIES) &
           CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
  }
  /// The result of clSVMAlloc, which may be null. Freed at the end of the scope.
  template <typename T = int> auto svm(size_t count, cl_svm_mem_flags flags = CL_MEM_READ_WRITE, cl_uint align = 0) {
    auto release = [in = context.get()](T *pointer) { clSVMFree(in, const_cast<std::remove_cv_t<T> *>(pointer)); };
    return std::unique_ptr<T, decltype(release)>(static_cast<T *>(clSVMAlloc(context, flags, count * sizeof(T), align)),
                                                 release);
  }
  /// Looks up an extension function by name.
  template <typename Function> Function *entry(const char *name) {
    auto *found = reinterpret_cast<Function *>(clGetExtensionFunctionAddressForPlatform(platform, name));
    EXPECT_NE(found, nullptr) << name;
    return found;
  }
  /// Returns true if the address is in an allocation of the context: clEnqueueSVMMigrateMem accepts it.
  bool isAllocated(const void *pointer) {
    return clEnqueueSVMMigrateMem(queue, 1, &pointer, nullptr, 0, 0, nullptr, nullptr) == CL_SUCCESS;
  }
  /// Bytes of an allocation that is mapped separately: after it is freed, the next one of this size has its address.
  static constexpr size_t Large = 8 << 20;
  /// Returns true if an allocation of `Large` bytes that the application has freed still exists: a new one then has
  /// another address.
  bool isKept(void *freed) {
    void *next = clSVMAlloc(context, 0, Large, 0);
    EXPECT_NE(next, nullptr);
    clSVMFree(context, next);
    return next != freed;
  }
  cl_int finish() { return clFinish(queue); }
  /// Returns a user event that all later commands of the queue wait for.
  Event gate() {
    Event event = userEvent();
    EXPECT_EQ(clEnqueueBarrierWithWaitList(queue, 1, event.address(), nullptr), CL_SUCCESS);
    return event;
  }
  static void open(const Event &gate) { EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS); }
};

} // namespace kiln::test
