#include "tests/api/EnqueueRules.h"

namespace kiln::test {
struct EnqueueWriteBuffer : EnqueueTest {
  cl_int write(cl_mem to, size_t offset, size_t size, const void *from) {
    return clEnqueueWriteBuffer(queue, to, CL_TRUE, offset, size, from, 0, nullptr, nullptr);
  }
  int data[16] = {};
};

TEST_F(EnqueueWriteBuffer, EnqueueRules) {
  PROVES("R5 R6 R2 API-5.2.2a");
  Mem b = buffer(64);
  expectEnqueueRules([&](auto q, auto m, auto n, auto w,
                         auto e) { return clEnqueueWriteBuffer(q, m, CL_FALSE, 0, 64, data, n, w, e); },
                     b);
}

TEST_F(EnqueueWriteBuffer, BlockingAfterFailure) {
  PROVES("R7 API-5.11c");
  Mem b = buffer(64, CL_MEM_COPY_HOST_PTR, data);
  int other[16] = {1, 2, 3};
  expectBlockingReportsFailure([&](auto q, auto m, auto n, auto w,
                                   auto e) { return clEnqueueWriteBuffer(q, m, CL_TRUE, 0, 64, other, n, w, e); },
                               b);
  EXPECT_EQ(read<int>(b, 16), std::vector<int>(16)) << "a command whose dependency failed does not run";
}

TEST_F(EnqueueWriteBuffer, RangePastTheEndOrPointerNull) {
  PROVES("API-5.2.2a");
  Mem b = buffer(64);
  EXPECT_EQ(write(b, 0, 65, data), CL_INVALID_VALUE);
  EXPECT_EQ(write(b, SIZE_MAX, 2, data), CL_INVALID_VALUE);
  EXPECT_EQ(write(b, 0, 4, nullptr), CL_INVALID_VALUE);
}

TEST_F(EnqueueWriteBuffer, HostMayNotWrite) {
  PROVES("R12");
  EXPECT_EQ(write(buffer(64, CL_MEM_HOST_READ_ONLY), 0, 4, data), CL_INVALID_OPERATION);
  EXPECT_EQ(write(buffer(64, CL_MEM_HOST_NO_ACCESS), 0, 4, data), CL_INVALID_OPERATION);
  EXPECT_EQ(write(buffer(64, CL_MEM_HOST_WRITE_ONLY), 0, 4, data), CL_SUCCESS);
}

TEST_F(EnqueueWriteBuffer, MemoryIsFreeOnReturn) {
  PROVES("API-5.2.2a R7");
  Mem b = buffer(64);
  std::vector<int> from = numbers(16);
  ASSERT_EQ(write(b, 0, 64, from.data()), CL_SUCCESS);
  from.assign(16, -1);
  EXPECT_EQ(read<int>(b, 16), numbers(16));
}

TEST_F(EnqueueWriteBuffer, ZeroBytes) {
  PROVES("EXEC-3.2d");
  EXPECT_EQ(write(buffer(64), 64, 0, data), CL_SUCCESS);
}
} // namespace kiln::test
