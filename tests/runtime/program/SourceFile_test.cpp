#include "runtime/program/SourceFile.h"
#include <gtest/gtest.h>

namespace kiln {
namespace {

TEST(SourceFile, IsNamedAfterTheFirstKernel) {
  EXPECT_EQ(firstKernel("float f(float x);\nkernel void blur(global float *p) {}\n__kernel void b() {}"), "blur");
  EXPECT_EQ(firstKernel("__kernel  void\nblur (global float *p) {}"), "blur");
  EXPECT_EQ(firstKernel("__kernel __attribute__((reqd_work_group_size(8, 8, 1))) void blur(int kernel_size);"), "blur");
  EXPECT_EQ(firstKernel("__attribute__((reqd_work_group_size(8, 8, 1)))\nkernel void blur(int n);"), "blur");
}

TEST(SourceFile, OtherUsesOfTheWordAreNoKernel) {
  EXPECT_EQ(firstKernel(""), "program");
  EXPECT_EQ(firstKernel("kernel"), "program");
  EXPECT_EQ(firstKernel("int my_kernel(int kernels);"), "program");
  EXPECT_EQ(firstKernel("// this kernel; is fast\nkernel void blur(int n);"), "blur");
}

} // namespace
} // namespace kiln
