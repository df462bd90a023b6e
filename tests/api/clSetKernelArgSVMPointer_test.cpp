#include "tests/api/SharedMemoryTest.h"

namespace kiln::test {
struct SetKernelArgSvmPointer : SharedMemoryTest {
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(SharedMemoryTest::SetUp());
    program = built("kernel void k(global int *out, constant int *in, local int *room, int value) {"
                    "  if (out) *out = (in ? *in : -1) + value; }");
    k = kernel(program, "k");
  }
  cl_int run() {
    cl_int code = launch(k, 1);
    return code == CL_SUCCESS ? finish() : code;
  }
  Program program;
  Kernel k;
};

TEST_F(SetKernelArgSvmPointer, KernelInvalid) {
  PROVES("API-5.9.2e");
  auto a = svm(4);
  EXPECT_EQ(clSetKernelArgSVMPointer(nullptr, 0, a.get()), CL_INVALID_KERNEL);
}

TEST_F(SetKernelArgSvmPointer, IndexInvalid) {
  PROVES("API-5.9.2e");
  auto a = svm(4);
  EXPECT_EQ(clSetKernelArgSVMPointer(k, 4, a.get()), CL_INVALID_ARG_INDEX);
}

TEST_F(SetKernelArgSvmPointer, NoGlobalOrConstantPointer) {
  PROVES("API-5.9.2e");
  auto a = svm(4);
  EXPECT_EQ(clSetKernelArgSVMPointer(k, 2, a.get()), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(clSetKernelArgSVMPointer(k, 3, a.get()), CL_INVALID_ARG_VALUE);
}

TEST_F(SetKernelArgSvmPointer, InteriorNullAndSystemPointers) {
  PROVES("API-5.9.2e API-5.6.1c");
  auto a = svm(4), b = svm(4, CL_MEM_READ_ONLY);
  ASSERT_EQ(clSetKernelArg(k, 2, 16, nullptr), CL_SUCCESS);
  ASSERT_EQ(set(k, 3, 100), CL_SUCCESS);
  b.get()[2] = 7;
  ASSERT_EQ(clSetKernelArgSVMPointer(k, 0, a.get() + 3), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArgSVMPointer(k, 1, b.get() + 2), CL_SUCCESS);
  ASSERT_EQ(run(), CL_SUCCESS);
  EXPECT_EQ(a.get()[3], 107);
  ASSERT_EQ(clSetKernelArgSVMPointer(k, 1, nullptr), CL_SUCCESS);
  ASSERT_EQ(run(), CL_SUCCESS);
  EXPECT_EQ(a.get()[3], 99);
  int out = 0, in = 5;
  if (!sharesSystemMemory()) {
    EXPECT_EQ(clSetKernelArgSVMPointer(k, 0, &out), CL_INVALID_ARG_VALUE);
    return;
  }
  ASSERT_EQ(clSetKernelArgSVMPointer(k, 0, &out), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArgSVMPointer(k, 1, &in), CL_SUCCESS);
  ASSERT_EQ(run(), CL_SUCCESS);
  EXPECT_EQ(out, 105);
}

// The last successful call of clSetKernelArg or clSetKernelArgSVMPointer sets the argument. A failed call changes
// nothing.
TEST_F(SetKernelArgSvmPointer, InPlaceOfBuffersAndBack) {
  PROVES("API-5.9.2e");
  auto a = svm(1);
  Mem b = buffer(4);
  *a = 0;
  ASSERT_EQ(clSetKernelArg(k, 2, 16, nullptr), CL_SUCCESS);
  ASSERT_EQ(set(k, 3, 1), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArgSVMPointer(k, 1, nullptr), CL_SUCCESS);
  EXPECT_EQ(run(), CL_INVALID_KERNEL_ARGS);
  ASSERT_EQ(set(k, 0, b), CL_SUCCESS);
  ASSERT_EQ(run(), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArgSVMPointer(k, 0, a.get()), CL_SUCCESS);
  ASSERT_EQ(set(k, 3, 2), CL_SUCCESS);
  ASSERT_EQ(run(), CL_SUCCESS);
  EXPECT_EQ(*a, 1);
  EXPECT_EQ(read<int>(b, 1)[0], 0);
  EXPECT_EQ(clSetKernelArgSVMPointer(k, 3, a.get()), CL_INVALID_ARG_VALUE);
  ASSERT_EQ(set(k, 0, b), CL_SUCCESS);
  ASSERT_EQ(run(), CL_SUCCESS);
  EXPECT_EQ(*a, 1);
  EXPECT_EQ(read<int>(b, 1)[0], 1);
}

TEST_F(SetKernelArgSvmPointer, CloneKeepsThePointer) {
  PROVES("API-5.9.2e");
  auto a = svm(2);
  ASSERT_EQ(clSetKernelArg(k, 2, 16, nullptr), CL_SUCCESS);
  ASSERT_EQ(set(k, 3, 10), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArgSVMPointer(k, 0, a.get()), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArgSVMPointer(k, 1, nullptr), CL_SUCCESS);
  cl_int code = 1;
  Kernel clone = clCloneKernel(k, &code);
  ASSERT_EQ(clSetKernelArgSVMPointer(k, 0, a.get() + 1), CL_SUCCESS);
  a.get()[0] = a.get()[1] = 0;
  ASSERT_EQ(launch(clone, 1), CL_SUCCESS);
  ASSERT_EQ(finish(), CL_SUCCESS);
  EXPECT_EQ(a.get()[0], 9);
  EXPECT_EQ(a.get()[1], 0);
}
} // namespace kiln::test
