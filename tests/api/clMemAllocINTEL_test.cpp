// clHostMemAllocINTEL, clDeviceMemAllocINTEL and clSharedMemAllocINTEL.
#include "tests/api/UsmTest.h"
#include <algorithm>

namespace kiln::test {
struct UsmAlloc : UsmTest {
  void expectRefused(cl_unified_shared_memory_type_intel kind, cl_int expected, size_t size, cl_uint align = 0,
                     std::vector<cl_mem_properties_intel> properties = {0}) {
    cl_int code = 1;
    EXPECT_EQ(allocate(kind, size, align, properties.data(), &code), nullptr) << kind;
    EXPECT_EQ(code, expected) << kind;
  }
};

TEST_F(UsmAlloc, ContextInvalid) {
  PROVES("X-E29");
  cl_int code = 1;
  EXPECT_EQ(HostMemAlloc(nullptr, nullptr, 64, 0, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_CONTEXT);
  EXPECT_EQ(DeviceMemAlloc(nullptr, device, nullptr, 64, 0, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_CONTEXT);
  EXPECT_EQ(SharedMemAlloc(nullptr, device, nullptr, 64, 0, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_CONTEXT);
}

TEST_F(UsmAlloc, DeviceOfAnotherContext) {
  PROVES("X-E29");
  cl_device_id all[3];
  cl_uint found = 0;
  ASSERT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 3, all, &found), CL_SUCCESS);
  if (found < 3)
    GTEST_SKIP() << "needs three devices";
  cl_device_id other = all[0] == device ? all[1] : all[0];
  cl_int code = 1;
  EXPECT_EQ(DeviceMemAlloc(context, other, nullptr, 64, 0, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_DEVICE);
  EXPECT_EQ(DeviceMemAlloc(context, nullptr, nullptr, 64, 0, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_DEVICE);
  EXPECT_EQ(SharedMemAlloc(context, other, nullptr, 64, 0, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_DEVICE);
}

TEST_F(UsmAlloc, AlignmentInvalid) {
  PROVES("X-E29");
  for (auto kind : Kinds) {
    expectRefused(kind, CL_INVALID_VALUE, 64, 3);
    expectRefused(kind, CL_INVALID_VALUE, 64, 256);
    for (cl_uint align = 1; align <= 128; align *= 2) {
      cl_int code = 1;
      void *memory = allocate(kind, 5, align, nullptr, &code);
      EXPECT_EQ(code, CL_SUCCESS);
      EXPECT_EQ(uintptr_t(memory) % align, 0u);
      EXPECT_EQ(MemFree(context, memory), CL_SUCCESS);
    }
  }
}

TEST_F(UsmAlloc, SizeZeroOrTooLarge) {
  PROVES("X-E29");
  cl_ulong largest = query<cl_ulong>(clGetDeviceInfo, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  for (auto kind : Kinds) {
    expectRefused(kind, CL_INVALID_BUFFER_SIZE, 0);
    expectRefused(kind, CL_INVALID_BUFFER_SIZE, largest + 1);
  }
}

TEST_F(UsmAlloc, Properties) {
  PROVES("X-E29 R15");
  constexpr cl_mem_properties_intel Flags = CL_MEM_ALLOC_FLAGS_INTEL;
  for (auto kind : Kinds) {
    expectRefused(kind, CL_INVALID_PROPERTY, 64, 0, {0x4242, 1, 0});
    expectRefused(kind, CL_INVALID_PROPERTY, 64, 0, {Flags, 1, Flags, 1, 0});
    expectRefused(kind, CL_INVALID_PROPERTY, 64, 0, {Flags, 1 << 5, 0});
    expectRefused(kind, CL_INVALID_PROPERTY, 64, 0,
                  {Flags, CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL, 0});
  }
  for (auto kind : {CL_MEM_TYPE_HOST_INTEL, CL_MEM_TYPE_DEVICE_INTEL}) {
    const auto which = cl_unified_shared_memory_type_intel(kind);
    expectRefused(which, CL_INVALID_PROPERTY, 64, 0, {Flags, CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL, 0});
    expectRefused(which, CL_INVALID_PROPERTY, 64, 0, {Flags, CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL, 0});
  }
  const cl_mem_properties_intel placed[] = {Flags, CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL, 0};
  void *memory = allocate(CL_MEM_TYPE_SHARED_INTEL, 64, 0, placed);
  EXPECT_NE(memory, nullptr);
  EXPECT_EQ(MemFree(context, memory), CL_SUCCESS);
}

// Access rules of the kinds of memory; the host accesses device memory with a copy.
TEST_F(UsmAlloc, UsedByKernelAndHost) {
  PROVES("X-E29");
  Program program = built("kernel void add(global int *p, int v) { p[get_global_id(0)] += v; }");
  Kernel add = kernel(program, "add");
  ASSERT_EQ(set(add, 1, 5), CL_SUCCESS);
  std::vector<int> numbers = this->numbers(1000), expected = this->numbers(1000, 5);
  for (auto kind : Kinds) {
    auto memory = usm(1000, kind);
    ASSERT_NE(memory, nullptr);
    if (kind == CL_MEM_TYPE_DEVICE_INTEL)
      ASSERT_EQ(copy(memory.get(), numbers.data(), 4000), CL_SUCCESS);
    else
      std::ranges::copy(numbers, memory.get());
    ASSERT_EQ(SetKernelArgMemPointer(add, 0, memory.get()), CL_SUCCESS);
    ASSERT_EQ(launch(add, 1000), CL_SUCCESS);
    ASSERT_EQ(finish(), CL_SUCCESS);
    std::vector<int> seen(1000);
    if (kind == CL_MEM_TYPE_DEVICE_INTEL)
      ASSERT_EQ(copy(seen.data(), memory.get(), 4000), CL_SUCCESS);
    else
      std::copy_n(memory.get(), 1000, seen.data());
    EXPECT_EQ(seen, expected) << kind;
  }
}

// Shared memory without a device is accessible to every device, at one address.
TEST_F(UsmAlloc, SharedByAllDevices) {
  PROVES("X-E29");
  cl_device_id all[3];
  cl_uint found = 0;
  ASSERT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 3, all, &found), CL_SUCCESS);
  if (found < 3)
    GTEST_SKIP() << "needs three devices";
  cl_int code = 1;
  Context together = clCreateContext(nullptr, 3, all, nullptr, nullptr, &code);
  const char *text = "kernel void add(global int *p, int v) { p[0] += v; }";
  Program program = clCreateProgramWithSource(together, 1, &text, nullptr, &code);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  auto *shared = static_cast<int *>(SharedMemAlloc(together, nullptr, nullptr, 64, 0, &code));
  ASSERT_EQ(code, CL_SUCCESS);
  auto *host = static_cast<int *>(HostMemAlloc(together, nullptr, 64, 0, &code));
  ASSERT_EQ(code, CL_SUCCESS);
  *shared = *host = 0;
  for (cl_device_id each : all) {
    Queue on = clCreateCommandQueueWithProperties(together, each, nullptr, &code);
    for (int *pointer : {shared, host}) {
      Kernel add = kernel(program, "add");
      ASSERT_EQ(SetKernelArgMemPointer(add, 0, pointer), CL_SUCCESS);
      ASSERT_EQ(set(add, 1, 3), CL_SUCCESS);
      size_t one = 1;
      ASSERT_EQ(clEnqueueNDRangeKernel(on, add, 1, nullptr, &one, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    }
    ASSERT_EQ(clFinish(on), CL_SUCCESS);
  }
  EXPECT_EQ(*shared, 9);
  EXPECT_EQ(*host, 9);
  EXPECT_EQ(MemFree(together, shared), CL_SUCCESS);
  EXPECT_EQ(MemFree(together, host), CL_SUCCESS);
}

// Buffers over host-accessible memory use it in place; device memory is not host memory.
TEST_F(UsmAlloc, BuffersOverUsm) {
  PROVES("X-E29");
  for (auto kind : Kinds) {
    auto memory = usm(16, kind);
    cl_int code = 1;
    Mem over = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 64, memory.get(), &code);
    if (kind == CL_MEM_TYPE_DEVICE_INTEL) {
      EXPECT_EQ(code, CL_INVALID_HOST_PTR);
      EXPECT_EQ(clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 64, memory.get(), &code), nullptr);
      EXPECT_EQ(code, CL_INVALID_HOST_PTR);
      continue;
    }
    ASSERT_EQ(code, CL_SUCCESS);
    EXPECT_EQ(query<cl_bool>(clGetMemObjectInfo, over.get(), CL_MEM_USES_SVM_POINTER), cl_bool(CL_FALSE));
    const int value = 6;
    ASSERT_EQ(clEnqueueFillBuffer(queue, over, &value, 4, 0, 64, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(finish(), CL_SUCCESS);
    EXPECT_EQ(memory.get()[15], 6);
  }
}
} // namespace kiln::test
