#include "tests/api/SharedMemoryTest.h"

namespace kiln::test {
struct SetKernelExecInfo : SharedMemoryTest {
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(SharedMemoryTest::SetUp());
    program = built("kernel void follow(global int *global *list, int count) {"
                    "  for (int i = 0; i < count; ++i) *list[i] += i + 1; }",
                    "-cl-std=CL3.0");
    k = kernel(program, "follow");
  }
  template <typename T> cl_int setInfo(cl_kernel_exec_info name, const T &value) {
    return clSetKernelExecInfo(k, name, sizeof value, &value);
  }
  Program program;
  Kernel k;
};

TEST_F(SetKernelExecInfo, KernelInvalid) {
  PROVES("API-5.9.2f");
  void *pointer = nullptr;
  EXPECT_EQ(clSetKernelExecInfo(nullptr, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointer, &pointer), CL_INVALID_KERNEL);
}

TEST_F(SetKernelExecInfo, NameUnknown) {
  PROVES("API-5.9.2f");
  EXPECT_EQ(setInfo(0x1234, cl_bool(CL_TRUE)), CL_INVALID_VALUE);
}

TEST_F(SetKernelExecInfo, SizeOrValueInvalid) {
  PROVES("API-5.9.2f");
  void *list[2] = {};
  for (cl_kernel_exec_info name : {CL_KERNEL_EXEC_INFO_SVM_PTRS, CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, 0x5002}) {
    EXPECT_EQ(clSetKernelExecInfo(k, name, 12, list), CL_INVALID_VALUE) << name;
    EXPECT_EQ(clSetKernelExecInfo(k, name, 8, nullptr), CL_INVALID_VALUE) << name;
    EXPECT_EQ(clSetKernelExecInfo(k, name, 0, list), CL_INVALID_VALUE) << name;
    EXPECT_EQ(clSetKernelExecInfo(k, name, 16, list), CL_SUCCESS) << name;
    EXPECT_EQ(clSetKernelExecInfo(k, name, 0, nullptr), CL_SUCCESS) << "the empty list of " << name;
  }
  for (cl_kernel_exec_info name :
       {CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
        CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL}) {
    EXPECT_EQ(setInfo(name, cl_ulong(1)), CL_INVALID_VALUE) << name;
    EXPECT_EQ(setInfo(name, cl_uchar(1)), CL_INVALID_VALUE) << name;
    EXPECT_EQ(clSetKernelExecInfo(k, name, sizeof(cl_bool), nullptr), CL_INVALID_VALUE) << name;
    const bool can = name != CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM || sharesSystemMemory();
    EXPECT_EQ(setInfo(name, cl_bool(CL_TRUE)), can ? CL_SUCCESS : CL_INVALID_OPERATION) << name;
    EXPECT_EQ(setInfo(name, cl_bool(CL_FALSE)), CL_SUCCESS) << name;
  }
}

TEST_F(SetKernelExecInfo, PointersReachableThroughMemory) {
  PROVES("API-5.9.2f");
  auto list = svm<int *>(2);
  auto a = svm(4), b = svm(4);
  list.get()[0] = a.get() + 1, list.get()[1] = b.get() + 2;
  a.get()[1] = b.get()[2] = 10;
  ASSERT_EQ(clSetKernelArgSVMPointer(k, 0, list.get()), CL_SUCCESS);
  ASSERT_EQ(set(k, 1, 2), CL_SUCCESS);
  const void *pointers[] = {a.get(), b.get() + 3};
  ASSERT_EQ(setInfo(CL_KERNEL_EXEC_INFO_SVM_PTRS, pointers), CL_SUCCESS);
  ASSERT_EQ(launch(k, 1), CL_SUCCESS);
  ASSERT_EQ(finish(), CL_SUCCESS);
  EXPECT_EQ(a.get()[1], 11);
  EXPECT_EQ(b.get()[2], 12);
}

// A cloned kernel keeps its SVM pointer list if the original's list is cleared later.
TEST_F(SetKernelExecInfo, CloneKeepsItsPointerList) {
  PROVES("API-5.9.2f API-5.6.1b");
  auto list = svm<int *>(1);
  auto *memory = static_cast<int *>(clSVMAlloc(context, 0, Large, 0));
  *list = memory;
  *memory = 5;
  ASSERT_EQ(clSetKernelArgSVMPointer(k, 0, list.get()), CL_SUCCESS);
  ASSERT_EQ(set(k, 1, 1), CL_SUCCESS);
  ASSERT_EQ(setInfo(CL_KERNEL_EXEC_INFO_SVM_PTRS, memory), CL_SUCCESS);
  cl_int code = 1;
  Kernel clone = clCloneKernel(k, &code);
  ASSERT_EQ(clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, nullptr), CL_SUCCESS);
  Event wait = gate();
  ASSERT_EQ(launch(clone, 1), CL_SUCCESS);
  clSVMFree(context, memory);
  EXPECT_TRUE(isKept(memory));
  open(wait);
  ASSERT_EQ(finish(), CL_SUCCESS);
}

// CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM is accepted with CL_TRUE and CL_FALSE on a device with fine-grain system
// SVM, and the kernel can access host memory.
TEST_F(SetKernelExecInfo, FineGrainSystem) {
  PROVES("API-5.9.2f API-5.6.1c");
  if (!sharesSystemMemory())
    GTEST_SKIP() << "the device has no fine-grain system SVM";
  int value = 1;
  int *list[] = {&value};
  ASSERT_EQ(clSetKernelArgSVMPointer(k, 0, list), CL_SUCCESS);
  ASSERT_EQ(set(k, 1, 1), CL_SUCCESS);
  ASSERT_EQ(setInfo(CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, cl_bool(CL_TRUE)), CL_SUCCESS);
  ASSERT_EQ(launch(k, 1), CL_SUCCESS);
  ASSERT_EQ(finish(), CL_SUCCESS);
  EXPECT_EQ(value, 2);
  EXPECT_EQ(setInfo(CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, cl_bool(CL_FALSE)), CL_SUCCESS);
}
} // namespace kiln::test
