#include "tests/api/EnqueueRules.h"

#include <algorithm>

namespace kiln::test {
struct EnqueueMapBuffer : EnqueueTest {
  void *map(cl_mem b, cl_map_flags flags, size_t offset, size_t size, cl_int expected = CL_SUCCESS) {
    cl_int code = 1;
    void *pointer = clEnqueueMapBuffer(queue, b, CL_TRUE, flags, offset, size, 0, nullptr, nullptr, &code);
    EXPECT_EQ(code, expected);
    EXPECT_EQ(pointer != nullptr, expected == CL_SUCCESS);
    return pointer;
  }
  void unmap(cl_mem b, void *pointer) {
    EXPECT_EQ(clEnqueueUnmapMemObject(queue, b, pointer, 0, nullptr, nullptr), CL_SUCCESS);
  }
};

TEST_F(EnqueueMapBuffer, EnqueueRules) {
  PROVES("R5 R6 API-5.2.4a");
  Mem b = buffer(64);
  expectEnqueueRules(
      [&](auto q, auto m, auto n, auto w, auto e) {
        cl_int code = 1;
        clEnqueueMapBuffer(q, m, CL_FALSE, CL_MAP_READ, 0, 64, n, w, e, &code);
        return code;
      },
      b);
}

TEST_F(EnqueueMapBuffer, BlockingAfterFailure) {
  PROVES("R7");
  Mem b = buffer(64);
  expectBlockingReportsFailure(
      [&](auto q, auto m, auto n, auto w, auto e) {
        cl_int code = 1;
        EXPECT_EQ(clEnqueueMapBuffer(q, m, CL_TRUE, CL_MAP_READ, 0, 64, n, w, e, &code), nullptr);
        return code;
      },
      b);
  EXPECT_EQ(query<cl_uint>(clGetMemObjectInfo, b.get(), CL_MEM_MAP_COUNT), 0u);
}

TEST_F(EnqueueMapBuffer, SizeRangeOrFlags) {
  PROVES("API-5.2.4a");
  Mem b = buffer(64);
  map(b, CL_MAP_READ, 0, 0, CL_INVALID_VALUE);
  map(b, CL_MAP_READ, 32, 33, CL_INVALID_VALUE);
  map(b, CL_MAP_READ, SIZE_MAX, 2, CL_INVALID_VALUE);
  map(b, 1 << 10, 0, 64, CL_INVALID_VALUE);
  map(b, CL_MAP_WRITE_INVALIDATE_REGION | CL_MAP_READ, 0, 64, CL_INVALID_VALUE);
  map(b, CL_MAP_WRITE_INVALIDATE_REGION | CL_MAP_WRITE, 0, 64, CL_INVALID_VALUE);
}

TEST_F(EnqueueMapBuffer, HostAccess) {
  PROVES("R12");
  Mem reads = buffer(64, CL_MEM_HOST_READ_ONLY), writes = buffer(64, CL_MEM_HOST_WRITE_ONLY);
  map(reads, CL_MAP_WRITE, 0, 64, CL_INVALID_OPERATION);
  map(reads, CL_MAP_WRITE_INVALIDATE_REGION, 0, 64, CL_INVALID_OPERATION);
  map(writes, CL_MAP_READ, 0, 64, CL_INVALID_OPERATION);
  unmap(reads, map(reads, CL_MAP_READ, 0, 64));
  unmap(writes, map(writes, CL_MAP_WRITE, 0, 64));
}

TEST_F(EnqueueMapBuffer, OverlappingMaps) {
  PROVES("API-5.2.4b API-5.5.3a");
  Mem b = buffer(64);
  void *written = map(b, CL_MAP_WRITE, 16, 16);
  map(b, CL_MAP_WRITE, 31, 4, CL_INVALID_OPERATION);
  map(b, CL_MAP_READ, 0, 17, CL_INVALID_OPERATION);
  void *beside = map(b, CL_MAP_WRITE, 32, 32);
  unmap(b, written);
  unmap(b, beside);
  void *first = map(b, CL_MAP_READ, 0, 64), *second = map(b, CL_MAP_READ, 8, 8);
  unmap(b, first);
  unmap(b, second);
}

TEST_F(EnqueueMapBuffer, ReadsAndWritesThroughMap) {
  PROVES("API-5.2.4a API-5.2.4c API-5.5.2a");
  std::vector<int> data = numbers(16);
  Mem b = buffer(64, CL_MEM_COPY_HOST_PTR, data.data());
  int *mapped = static_cast<int *>(map(b, CL_MAP_READ | CL_MAP_WRITE, 16, 32));
  ASSERT_NE(mapped, nullptr);
  EXPECT_EQ(mapped[0], 4);
  mapped[1] = 50;
  unmap(b, mapped);
  data[5] = 50;
  EXPECT_EQ(read<int>(b, 16), data);
  mapped = static_cast<int *>(map(b, CL_MAP_WRITE_INVALIDATE_REGION, 0, 64));
  ASSERT_NE(mapped, nullptr);
  std::fill_n(mapped, 16, 7);
  unmap(b, mapped);
  EXPECT_EQ(read<int>(b, 16), std::vector<int>(16, 7));
}

TEST_F(EnqueueMapBuffer, NonBlockingShowsWhatItWaitedFor) {
  PROVES("API-5.2.4a API-5.2.4c");
  Mem b = buffer(64);
  Event gate = userEvent(), mappedEvent;
  int value = 8;
  ASSERT_EQ(clEnqueueFillBuffer(queue, b, &value, 4, 0, 64, 1, gate.address(), nullptr), CL_SUCCESS);
  cl_int code = 1;
  auto mapped = static_cast<int *>(
      clEnqueueMapBuffer(queue, b, CL_FALSE, CL_MAP_READ, 0, 64, 0, nullptr, mappedEvent.out(), &code));
  ASSERT_EQ(code, CL_SUCCESS);
  ASSERT_NE(mapped, nullptr);
  clSetUserEventStatus(gate, CL_COMPLETE);
  ASSERT_EQ(clWaitForEvents(1, mappedEvent.address()), CL_SUCCESS);
  EXPECT_EQ(mapped[15], 8);
  EXPECT_EQ(commandType(mappedEvent), cl_command_type(CL_COMMAND_MAP_BUFFER));
  unmap(b, mapped);
}

TEST_F(EnqueueMapBuffer, MappedPointerAsHostMemory) {
  PROVES("API-5.5.3a");
  std::vector<int> data = numbers(16);
  Mem a = buffer(64, CL_MEM_COPY_HOST_PTR, data.data()), b = buffer(64);
  void *mapped = map(a, CL_MAP_READ, 0, 64);
  ASSERT_EQ(clEnqueueWriteBuffer(queue, b, CL_TRUE, 0, 64, mapped, 0, nullptr, nullptr), CL_SUCCESS);
  unmap(a, mapped);
  EXPECT_EQ(read<int>(b, 16), data);
}
} // namespace kiln::test
