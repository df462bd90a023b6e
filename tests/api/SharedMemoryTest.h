// Common parts of the SVM and USM tests.
#pragma once
#include "tests/api/ProgramTest.h"
#include <memory>

namespace kiln::test {

struct SharedMemoryTest : WithProgram {
  /// Returns true if the device has system SVM.
  bool sharesSystemMemory() {
    return query<cl_device_svm_capabilities>(clGetDeviceInfo, device, CL_DEVICE_SVM_CAPABILITIES) &
           CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
  }
  /// An allocation of clSVMAlloc, which may be null; freed at the end of the scope.
  template <typename T = int> auto svm(size_t count, cl_svm_mem_flags flags = CL_MEM_READ_WRITE, cl_uint align = 0) {
    auto release = [in = context.get()](T *pointer) { clSVMFree(in, const_cast<std::remove_cv_t<T> *>(pointer)); };
    return std::unique_ptr<T, decltype(release)>(static_cast<T *>(clSVMAlloc(context, flags, count * sizeof(T), align)),
                                                 release);
  }
  /// An entry that is looked up by name.
  template <typename Function> Function *entry(const char *name) {
    auto *found = reinterpret_cast<Function *>(clGetExtensionFunctionAddressForPlatform(platform, name));
    EXPECT_NE(found, nullptr) << name;
    return found;
  }
  /// Whether the context knows memory at the address.
  bool known(const void *pointer) {
    return clEnqueueSVMMigrateMem(queue, 1, &pointer, nullptr, 0, 0, nullptr, nullptr) == CL_SUCCESS;
  }
  /// So many bytes come from the system by themselves: what is freed is what is given out next.
  static constexpr size_t Large = 8 << 20;
  /// Whether so much memory that was freed is still there: then it cannot be given out once more.
  bool isKept(void *freed) {
    void *next = clSVMAlloc(context, 0, Large, 0);
    EXPECT_NE(next, nullptr);
    clSVMFree(context, next);
    return next != freed;
  }
  cl_int finish() { return clFinish(queue); }
  /// Something that holds the queue up until it is complete.
  Event gate() {
    Event event = userEvent();
    EXPECT_EQ(clEnqueueBarrierWithWaitList(queue, 1, event.address(), nullptr), CL_SUCCESS);
    return event;
  }
  static void open(const Event &gate) { EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS); }
};

} // namespace kiln::test
