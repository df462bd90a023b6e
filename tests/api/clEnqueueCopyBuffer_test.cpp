#include "tests/api/EnqueueRules.h"

namespace kiln::test {
struct EnqueueCopyBuffer : EnqueueTest {
  cl_int copy(cl_mem from, cl_mem to, size_t fromOffset, size_t toOffset, size_t size) {
    return clEnqueueCopyBuffer(queue, from, to, fromOffset, toOffset, size, 0, nullptr, nullptr);
  }
};

TEST_F(EnqueueCopyBuffer, EnqueueRules) {
  PROVES("R5 R6 API-5.2.2c");
  Mem a = buffer(64), b = buffer(64);
  expectEnqueueRules(
      [&](auto q, auto m, auto n, auto w, auto e) { return clEnqueueCopyBuffer(q, m, b, 0, 0, 64, n, w, e); }, a);
  expectEnqueueRules(
      [&](auto q, auto m, auto n, auto w, auto e) { return clEnqueueCopyBuffer(q, a, m, 0, 0, 64, n, w, e); }, b);
}

TEST_F(EnqueueCopyBuffer, DestinationOfAnotherContext) {
  PROVES("R5");
  Mem a = buffer(64), b = buffer(64, 0, nullptr, otherContext);
  EXPECT_EQ(copy(a, b, 0, 0, 64), CL_INVALID_CONTEXT);
}

TEST_F(EnqueueCopyBuffer, RangePastTheEnd) {
  PROVES("API-5.2.2c");
  Mem a = buffer(64), b = buffer(32);
  EXPECT_EQ(copy(a, b, 0, 0, 33), CL_INVALID_VALUE);
  EXPECT_EQ(copy(b, a, 0, 0, 33), CL_INVALID_VALUE);
  EXPECT_EQ(copy(a, b, SIZE_MAX, 0, 2), CL_INVALID_VALUE);
}

TEST_F(EnqueueCopyBuffer, OverlapInOneBuffer) {
  PROVES("API-5.2.2c");
  Mem a = buffer(64);
  EXPECT_EQ(copy(a, a, 0, 16, 17), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(copy(a, a, 16, 0, 17), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(copy(a, a, 8, 8, 8), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(copy(a, a, 0, 16, 16), CL_SUCCESS);
}

TEST_F(EnqueueCopyBuffer, OverlapOfSubBuffers) {
  PROVES("API-5.2.2c");
  size_t align = query<cl_uint>(clGetDeviceInfo, device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
  Mem whole = buffer(4 * align);
  cl_buffer_region left{0, 2 * align}, right{align, 2 * align};
  Mem a = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &left, nullptr);
  Mem b = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &right, nullptr);
  EXPECT_EQ(copy(a, b, align, 0, align), CL_MEM_COPY_OVERLAP) << "the same bytes through two sub-buffers";
  EXPECT_EQ(copy(a, b, 0, 0, align), CL_SUCCESS);
  EXPECT_EQ(copy(whole, b, align, 0, align), CL_MEM_COPY_OVERLAP) << "a sub-buffer and its parent";
}

TEST_F(EnqueueCopyBuffer, Copies) {
  PROVES("API-5.2.2c R12");
  std::vector<int> data = numbers(16);
  Mem a = buffer(64, CL_MEM_COPY_HOST_PTR | CL_MEM_HOST_NO_ACCESS, data.data()), b = buffer(64);
  Event event;
  ASSERT_EQ(clEnqueueCopyBuffer(queue, a, b, 16, 0, 48, 0, nullptr, event.out()), CL_SUCCESS);
  EXPECT_EQ(read<int>(b, 12), numbers(12, 4));
  EXPECT_EQ(commandType(event), cl_command_type(CL_COMMAND_COPY_BUFFER));
}
} // namespace kiln::test
