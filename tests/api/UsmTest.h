// Common parts of the cl_intel_unified_shared_memory tests. The extension's functions are looked up by name.
#pragma once
#include "tests/api/SharedMemoryTest.h"

namespace kiln::test {

struct UsmTest : SharedMemoryTest {
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(SharedMemoryTest::SetUp());
#define KILN_FIND(name) ASSERT_NE(name = entry<decltype(::cl##name##INTEL)>("cl" #name "INTEL"), nullptr)
    KILN_FIND(HostMemAlloc);
    KILN_FIND(DeviceMemAlloc);
    KILN_FIND(SharedMemAlloc);
    KILN_FIND(MemFree);
    KILN_FIND(MemBlockingFree);
    KILN_FIND(GetMemAllocInfo);
    KILN_FIND(SetKernelArgMemPointer);
    KILN_FIND(EnqueueMemFill);
    KILN_FIND(EnqueueMemcpy);
    KILN_FIND(EnqueueMigrateMem);
    KILN_FIND(EnqueueMemAdvise);
#undef KILN_FIND
  }
  /// The three kinds of memory, as values of CL_MEM_ALLOC_TYPE_INTEL.
  static constexpr cl_unified_shared_memory_type_intel Kinds[] = {CL_MEM_TYPE_HOST_INTEL, CL_MEM_TYPE_DEVICE_INTEL,
                                                                  CL_MEM_TYPE_SHARED_INTEL};
  void *allocate(cl_unified_shared_memory_type_intel kind, size_t size, cl_uint align = 0,
                 const cl_mem_properties_intel *properties = nullptr, cl_int *code = nullptr, cl_context in = nullptr) {
    if (!in)
      in = context;
    return kind == CL_MEM_TYPE_HOST_INTEL     ? HostMemAlloc(in, properties, size, align, code)
           : kind == CL_MEM_TYPE_DEVICE_INTEL ? DeviceMemAlloc(in, device, properties, size, align, code)
                                              : SharedMemAlloc(in, device, properties, size, align, code);
  }
  /// Allocates memory that is freed at the end of the scope.
  template <typename T = int>
  auto usm(size_t count, cl_unified_shared_memory_type_intel kind = CL_MEM_TYPE_SHARED_INTEL) {
    auto release = [in = context.get(), free = MemFree](T *pointer) { free(in, pointer); };
    return std::unique_ptr<T, decltype(release)>(static_cast<T *>(allocate(kind, count * sizeof(T))), release);
  }
  cl_int copy(void *to, const void *from, size_t size) {
    return EnqueueMemcpy(queue, CL_TRUE, to, from, size, 0, nullptr, nullptr);
  }

  decltype(::clHostMemAllocINTEL) *HostMemAlloc = nullptr;
  decltype(::clDeviceMemAllocINTEL) *DeviceMemAlloc = nullptr;
  decltype(::clSharedMemAllocINTEL) *SharedMemAlloc = nullptr;
  decltype(::clMemFreeINTEL) *MemFree = nullptr;
  decltype(::clMemBlockingFreeINTEL) *MemBlockingFree = nullptr;
  decltype(::clGetMemAllocInfoINTEL) *GetMemAllocInfo = nullptr;
  decltype(::clSetKernelArgMemPointerINTEL) *SetKernelArgMemPointer = nullptr;
  decltype(::clEnqueueMemFillINTEL) *EnqueueMemFill = nullptr;
  decltype(::clEnqueueMemcpyINTEL) *EnqueueMemcpy = nullptr;
  decltype(::clEnqueueMigrateMemINTEL) *EnqueueMigrateMem = nullptr;
  decltype(::clEnqueueMemAdviseINTEL) *EnqueueMemAdvise = nullptr;
};

} // namespace kiln::test
