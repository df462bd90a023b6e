#include "tests/api/EnqueueRules.h"

namespace kiln::test {
struct EnqueueReadBuffer : EnqueueTest {
  cl_int read(cl_mem from, size_t offset, size_t size, void *to) {
    return clEnqueueReadBuffer(queue, from, CL_TRUE, offset, size, to, 0, nullptr, nullptr);
  }
  int room[16];
};

TEST_F(EnqueueReadBuffer, EnqueueRules) {
  PROVES("R5 R6 R2 API-5.2.2a");
  Mem b = buffer(64);
  expectEnqueueRules(
      [&](auto q, auto m, auto n, auto w, auto e) { return clEnqueueReadBuffer(q, m, CL_FALSE, 0, 64, room, n, w, e); },
      b);
}

TEST_F(EnqueueReadBuffer, BlockingAfterFailure) {
  PROVES("R7");
  Mem b = buffer(64);
  expectBlockingReportsFailure(
      [&](auto q, auto m, auto n, auto w, auto e) { return clEnqueueReadBuffer(q, m, CL_TRUE, 0, 64, room, n, w, e); },
      b);
}

TEST_F(EnqueueReadBuffer, RangePastTheEnd) {
  PROVES("API-5.2.2a");
  Mem b = buffer(64);
  EXPECT_EQ(read(b, 0, 65, room), CL_INVALID_VALUE);
  EXPECT_EQ(read(b, 64, 1, room), CL_INVALID_VALUE);
  EXPECT_EQ(read(b, SIZE_MAX, 2, room), CL_INVALID_VALUE) << "offset + size overflows";
  EXPECT_EQ(read(b, 2, SIZE_MAX, room), CL_INVALID_VALUE);
}

TEST_F(EnqueueReadBuffer, PointerNull) {
  PROVES("API-5.2.2a");
  EXPECT_EQ(read(buffer(64), 0, 4, nullptr), CL_INVALID_VALUE);
}

TEST_F(EnqueueReadBuffer, HostMayNotRead) {
  PROVES("R12");
  EXPECT_EQ(read(buffer(64, CL_MEM_HOST_WRITE_ONLY), 0, 4, room), CL_INVALID_OPERATION);
  EXPECT_EQ(read(buffer(64, CL_MEM_HOST_NO_ACCESS), 0, 4, room), CL_INVALID_OPERATION);
  EXPECT_EQ(read(buffer(64, CL_MEM_HOST_READ_ONLY), 0, 4, room), CL_SUCCESS);
}

TEST_F(EnqueueReadBuffer, PartOfTheBuffer) {
  PROVES("API-5.2.2a API-5.11e");
  std::vector<int> data = numbers(16);
  Mem b = buffer(64, CL_MEM_COPY_HOST_PTR, data.data());
  int two[2] = {};
  Event event;
  ASSERT_EQ(clEnqueueReadBuffer(queue, b, CL_FALSE, 12, 8, two, 0, nullptr, event.out()), CL_SUCCESS);
  ASSERT_EQ(clWaitForEvents(1, event.address()), CL_SUCCESS);
  EXPECT_EQ(two[0], 3);
  EXPECT_EQ(two[1], 4);
  EXPECT_EQ(commandType(event), cl_command_type(CL_COMMAND_READ_BUFFER));
}

TEST_F(EnqueueReadBuffer, IntoItsOwnHostMemory) {
  PROVES("API-5.2.2e");
  alignas(4096) static int storage[16];
  Mem b = buffer(sizeof storage, CL_MEM_USE_HOST_PTR, storage);
  int value = 9;
  ASSERT_EQ(clEnqueueWriteBuffer(queue, b, CL_TRUE, 8, 4, &value, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(read(b, 0, sizeof storage, storage), CL_SUCCESS);
  EXPECT_EQ(storage[2], 9);
}
} // namespace kiln::test
