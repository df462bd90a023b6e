#include "tests/api/SharedMemoryTest.h"

#include <algorithm>

namespace kiln::test {
struct SvmAlloc : SharedMemoryTest {};

TEST_F(SvmAlloc, ContextInvalid) {
  PROVES("API-5.6.1a");
  EXPECT_EQ(clSVMAlloc(nullptr, CL_MEM_READ_WRITE, 64, 0), nullptr);
}

TEST_F(SvmAlloc, FlagsUnknown) {
  PROVES("API-5.6.1a");
  EXPECT_EQ(svm(16, CL_MEM_USE_HOST_PTR), nullptr);
  EXPECT_EQ(svm(16, CL_MEM_HOST_NO_ACCESS), nullptr);
  EXPECT_EQ(svm(16, cl_svm_mem_flags(1) << 40), nullptr);
}

TEST_F(SvmAlloc, ConflictingAccessFlags) {
  PROVES("API-5.6.1a");
  EXPECT_EQ(svm(16, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY), nullptr);
  EXPECT_EQ(svm(16, CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY), nullptr);
}

TEST_F(SvmAlloc, AtomicsWithoutFineGrain) {
  PROVES("API-5.6.1a");
  EXPECT_EQ(svm(16, CL_MEM_READ_WRITE | CL_MEM_SVM_ATOMICS), nullptr);
}

TEST_F(SvmAlloc, SizeZeroOrTooLarge) {
  PROVES("API-5.6.1a");
  cl_ulong largest = query<cl_ulong>(clGetDeviceInfo, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  EXPECT_EQ(svm<char>(0), nullptr);
  EXPECT_EQ(svm<char>(largest + 1), nullptr);
  EXPECT_EQ(svm<char>(SIZE_MAX), nullptr);
}

TEST_F(SvmAlloc, AlignmentInvalid) {
  PROVES("API-5.6.1a");
  EXPECT_EQ(svm(16, 0, 3), nullptr);
  EXPECT_EQ(svm(16, 0, 256), nullptr);
  for (cl_uint align = 1; align <= 128; align *= 2) {
    auto memory = svm(5, 0, align);
    ASSERT_NE(memory, nullptr) << align;
    EXPECT_EQ(uintptr_t(memory.get()) % align, 0u) << align;
  }
  EXPECT_EQ(uintptr_t(svm<char>(3).get()) % 128, 0u) << "alignment 0 is that of the largest type";
}

TEST_F(SvmAlloc, EveryKindOfFlags) {
  PROVES("API-5.6.1a");
  for (cl_svm_mem_flags access : {0, CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY})
    for (cl_svm_mem_flags grain :
         {0, CL_MEM_SVM_FINE_GRAIN_BUFFER, CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS}) {
      auto memory = svm(1000, access | grain);
      ASSERT_NE(memory, nullptr) << access << " " << grain;
      std::fill_n(memory.get(), 1000, 7);
      EXPECT_EQ(memory.get()[999], 7);
    }
}

// All devices of a context and the host use the same address for an allocation.
TEST_F(SvmAlloc, OneAddressOnAllDevices) {
  PROVES("API-5.6.1a EXEC-3.3.1c");
  cl_device_id all[3];
  cl_uint found = 0;
  ASSERT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 3, all, &found), CL_SUCCESS);
  if (found < 3)
    GTEST_SKIP() << "needs three devices";
  cl_int code = 1;
  Context together = clCreateContext(nullptr, 3, all, nullptr, nullptr, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  const char *text = "kernel void where(global int *p, global ulong *at) { *at = (ulong)p; *p += 1; }";
  Program program = clCreateProgramWithSource(together, 1, &text, nullptr, &code);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  auto *value = static_cast<int *>(clSVMAlloc(together, 0, sizeof(int), 0));
  auto *at = static_cast<cl_ulong *>(clSVMAlloc(together, 0, sizeof(cl_ulong), 0));
  ASSERT_TRUE(value && at);
  *value = 0;
  for (int i = 0; i < 3; ++i) {
    Queue on = clCreateCommandQueueWithProperties(together, all[i], nullptr, &code);
    Kernel where = kernel(program, "where");
    *at = 0;
    ASSERT_EQ(clSetKernelArgSVMPointer(where, 0, value), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArgSVMPointer(where, 1, at), CL_SUCCESS);
    size_t one = 1;
    ASSERT_EQ(clEnqueueNDRangeKernel(on, where, 1, nullptr, &one, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clFinish(on), CL_SUCCESS);
    EXPECT_EQ(*at, cl_ulong(value)) << i;
    EXPECT_EQ(*value, i + 1);
  }
  clSVMFree(together, value);
  clSVMFree(together, at);
}

// The destruction of the context frees allocations that the application has not freed.
TEST_F(SvmAlloc, ContextReleasedFirst) {
  PROVES("API-5.6.1a");
  cl_int code = 1;
  Context other = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
  EXPECT_NE(clSVMAlloc(other, 0, 1 << 20, 0), nullptr);
}
} // namespace kiln::test
