#include "tests/api/SharedMemoryTest.h"

#include <algorithm>

namespace kiln::test {
struct EnqueueSvmMemcpy : SharedMemoryTest {
  cl_int copy(void *to, const void *from, size_t size) {
    return clEnqueueSVMMemcpy(queue, CL_TRUE, to, from, size, 0, nullptr, nullptr);
  }
};

TEST_F(EnqueueSvmMemcpy, EnqueueRules) {
  PROVES("R6 API-5.6.1e API-5.11e");
  auto a = svm(16), b = svm(16);
  expectEnqueueRules(
      [&](auto q, auto n, auto w, auto e) { return clEnqueueSVMMemcpy(q, CL_FALSE, a.get(), b.get(), 64, n, w, e); },
      CL_COMMAND_SVM_MEMCPY);
}

TEST_F(EnqueueSvmMemcpy, BlockingAfterFailure) {
  PROVES("R7 API-5.6.1e");
  auto a = svm(16), b = svm(16);
  Event failed = userEvent();
  clSetUserEventStatus(failed, -42);
  EXPECT_EQ(clEnqueueSVMMemcpy(queue, CL_TRUE, a.get(), b.get(), 64, 1, failed.address(), nullptr),
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

TEST_F(EnqueueSvmMemcpy, NullPointer) {
  PROVES("API-5.6.1e");
  auto a = svm(16);
  EXPECT_EQ(copy(a.get(), nullptr, 4), CL_INVALID_VALUE);
  EXPECT_EQ(copy(nullptr, a.get(), 4), CL_INVALID_VALUE);
}

TEST_F(EnqueueSvmMemcpy, Overlap) {
  PROVES("API-5.6.1e");
  auto a = svm(16);
  EXPECT_EQ(copy(a.get() + 1, a.get(), 8), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(copy(a.get(), a.get() + 1, 8), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(copy(a.get(), a.get(), 4), CL_MEM_COPY_OVERLAP);
  int host[4] = {};
  EXPECT_EQ(copy(host, host + 1, 8), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(copy(a.get() + 2, a.get(), 8), CL_SUCCESS) << "adjacent ranges";
  EXPECT_EQ(copy(a.get(), a.get(), 0), CL_SUCCESS) << "ranges of 0 bytes do not overlap";
}

TEST_F(EnqueueSvmMemcpy, PastTheEndOfTheAllocation) {
  PROVES("API-5.6.1e");
  auto a = svm(16);
  std::vector<int> host(64);
  EXPECT_EQ(copy(host.data(), a.get(), 65), CL_INVALID_VALUE);
  EXPECT_EQ(copy(a.get() + 15, host.data(), 5), CL_INVALID_VALUE);
  EXPECT_EQ(copy(a.get() + 15, host.data(), SIZE_MAX - 8), CL_INVALID_VALUE);
}

TEST_F(EnqueueSvmMemcpy, EveryDirection) {
  PROVES("API-5.6.1e API-5.6.1c");
  std::vector<int> numbers = this->numbers(1000), back(1000);
  auto a = svm(1000), b = svm(1000, CL_MEM_SVM_FINE_GRAIN_BUFFER);
  ASSERT_EQ(copy(a.get(), numbers.data(), 4000), CL_SUCCESS);
  ASSERT_EQ(copy(b.get() + 1, a.get(), 3996), CL_SUCCESS);
  ASSERT_EQ(copy(b.get(), a.get() + 999, 4), CL_SUCCESS);
  ASSERT_EQ(copy(back.data(), b.get(), 4000), CL_SUCCESS);
  EXPECT_EQ(back[0], 999);
  EXPECT_TRUE(std::equal(back.begin() + 1, back.end(), numbers.begin()));
  std::vector<int> other(1000);
  ASSERT_EQ(copy(other.data(), back.data(), 4000), CL_SUCCESS) << "from host to host";
  EXPECT_EQ(other, back);
}

TEST_F(EnqueueSvmMemcpy, InQueueOrder) {
  PROVES("API-5.6.1e");
  auto a = svm(4), b = svm(4);
  std::fill_n(a.get(), 4, 1);
  Event wait = gate();
  ASSERT_EQ(clEnqueueSVMMemcpy(queue, CL_FALSE, b.get(), a.get(), 16, 0, nullptr, nullptr), CL_SUCCESS);
  a.get()[3] = 2;
  open(wait);
  ASSERT_EQ(finish(), CL_SUCCESS);
  EXPECT_EQ(b.get()[3], 2);
}
} // namespace kiln::test
