#include "tests/api/SharedMemoryTest.h"

#include <algorithm>

namespace kiln::test {
struct EnqueueSvmMemFill : SharedMemoryTest {
  cl_int fill(void *to, const void *pattern, size_t patternSize, size_t size) {
    return clEnqueueSVMMemFill(queue, to, pattern, patternSize, size, 0, nullptr, nullptr);
  }
  unsigned char pattern[256] = {1, 2, 3, 4};
};

TEST_F(EnqueueSvmMemFill, EnqueueRules) {
  PROVES("R6 API-5.6.1f API-5.11e");
  auto a = svm(16);
  expectEnqueueRules(
      [&](auto q, auto n, auto w, auto e) { return clEnqueueSVMMemFill(q, a.get(), pattern, 4, 64, n, w, e); },
      CL_COMMAND_SVM_MEMFILL);
}

TEST_F(EnqueueSvmMemFill, NullPointerOrPattern) {
  PROVES("API-5.6.1f");
  auto a = svm(16);
  EXPECT_EQ(fill(nullptr, pattern, 4, 64), CL_INVALID_VALUE);
  EXPECT_EQ(fill(a.get(), nullptr, 4, 64), CL_INVALID_VALUE);
}

TEST_F(EnqueueSvmMemFill, PointerNotAlignedToPattern) {
  PROVES("API-5.6.1f");
  auto a = svm(16);
  EXPECT_EQ(fill(a.get() + 1, pattern, 8, 8), CL_INVALID_VALUE);
  EXPECT_EQ(fill(reinterpret_cast<char *>(a.get()) + 2, pattern, 4, 8), CL_INVALID_VALUE);
}

TEST_F(EnqueueSvmMemFill, PatternOfThreeBytes) {
  PROVES("API-5.6.1f");
  auto a = svm(256);
  for (size_t size : {0, 3, 12, 256})
    EXPECT_EQ(fill(a.get(), pattern, size, 768), CL_INVALID_VALUE) << size;
}

TEST_F(EnqueueSvmMemFill, SizeNoMultipleOfPattern) {
  PROVES("API-5.6.1f");
  auto a = svm(16);
  EXPECT_EQ(fill(a.get(), pattern, 8, 12), CL_INVALID_VALUE);
}

TEST_F(EnqueueSvmMemFill, PastTheEndOfTheAllocation) {
  PROVES("API-5.6.1f");
  auto a = svm(16);
  EXPECT_EQ(fill(a.get() + 8, pattern, 4, 36), CL_INVALID_VALUE);
  EXPECT_EQ(fill(a.get(), pattern, 4, SIZE_MAX - 3), CL_INVALID_VALUE);
}

TEST_F(EnqueueSvmMemFill, EveryPatternSize) {
  PROVES("API-5.6.1f");
  std::iota(std::begin(pattern), std::end(pattern), 1);
  for (size_t size = 1; size <= 128; size *= 2) {
    auto a = svm<unsigned char>(512);
    std::fill_n(a.get(), 512, 0);
    ASSERT_EQ(fill(a.get() + 128, pattern, size, 256), CL_SUCCESS) << size;
    ASSERT_EQ(finish(), CL_SUCCESS);
    for (size_t i = 0; i < 512; ++i)
      ASSERT_EQ(a.get()[i], i >= 128 && i < 384 ? pattern[i % size] : 0) << size << " at " << i;
  }
}

TEST_F(EnqueueSvmMemFill, PatternIsCopiedAtTheCall) {
  PROVES("API-5.6.1f");
  auto a = svm(4);
  Event wait = gate();
  int value = 5;
  ASSERT_EQ(fill(a.get(), &value, 4, 16), CL_SUCCESS);
  value = 6;
  open(wait);
  ASSERT_EQ(finish(), CL_SUCCESS);
  EXPECT_EQ(a.get()[3], 5);
}

// Fills memory that is no SVM allocation, on a device with fine-grain system SVM.
TEST_F(EnqueueSvmMemFill, SystemMemory) {
  PROVES("API-5.6.1c");
  if (!sharesSystemMemory())
    GTEST_SKIP() << "the device has no fine-grain system SVM";
  std::vector<int> host(100, 0);
  const int value = 3;
  ASSERT_EQ(fill(host.data() + 1, &value, 4, 392), CL_SUCCESS);
  ASSERT_EQ(finish(), CL_SUCCESS);
  EXPECT_EQ(host[0], 0);
  EXPECT_EQ(host[99], 0);
  EXPECT_EQ(std::count(host.begin(), host.end(), 3), 98);
}
} // namespace kiln::test
