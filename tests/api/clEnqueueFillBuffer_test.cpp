#include "tests/api/EnqueueRules.h"

namespace kiln::test {
struct EnqueueFillBuffer : EnqueueTest {
  cl_int fill(cl_mem b, const void *pattern, size_t patternSize, size_t offset, size_t size) {
    return clEnqueueFillBuffer(queue, b, pattern, patternSize, offset, size, 0, nullptr, nullptr);
  }
  unsigned char pattern[256] = {1, 2, 3, 4};
};

TEST_F(EnqueueFillBuffer, EnqueueRules) {
  PROVES("R5 R6 API-5.2.3a");
  Mem b = buffer(64);
  expectEnqueueRules(
      [&](auto q, auto m, auto n, auto w, auto e) { return clEnqueueFillBuffer(q, m, pattern, 4, 0, 64, n, w, e); }, b);
}

TEST_F(EnqueueFillBuffer, OffsetPlusSizePastEnd) {
  PROVES("API-5.2.3a");
  Mem b = buffer(64);
  EXPECT_EQ(fill(b, pattern, 4, 0, 68), CL_INVALID_VALUE);
  EXPECT_EQ(fill(b, pattern, 4, 64, 4), CL_INVALID_VALUE);
  EXPECT_EQ(fill(b, pattern, 4, SIZE_MAX - 3, 8), CL_INVALID_VALUE);
}

TEST_F(EnqueueFillBuffer, PatternOfThreeBytes) {
  PROVES("API-5.2.3a");
  Mem b = buffer(768);
  EXPECT_EQ(fill(b, pattern, 3, 0, 48), CL_INVALID_VALUE);
  EXPECT_EQ(fill(b, pattern, 0, 0, 48), CL_INVALID_VALUE);
  EXPECT_EQ(fill(b, pattern, 256, 0, 256), CL_INVALID_VALUE);
  EXPECT_EQ(fill(b, nullptr, 4, 0, 48), CL_INVALID_VALUE);
}

TEST_F(EnqueueFillBuffer, OffsetOrSizeNoMultipleOfPattern) {
  PROVES("API-5.2.3a");
  Mem b = buffer(64);
  EXPECT_EQ(fill(b, pattern, 4, 2, 8), CL_INVALID_VALUE);
  EXPECT_EQ(fill(b, pattern, 4, 4, 6), CL_INVALID_VALUE);
}

TEST_F(EnqueueFillBuffer, EveryPatternSize) {
  PROVES("API-5.2.3a R12");
  std::iota(std::begin(pattern), std::end(pattern), 1);
  for (size_t size = 1; size <= 128; size *= 2) {
    std::vector<unsigned char> expected(512, 0);
    Mem b = buffer(512, CL_MEM_COPY_HOST_PTR | CL_MEM_HOST_READ_ONLY, expected.data());
    ASSERT_EQ(fill(b, pattern, size, 128, 256), CL_SUCCESS) << size;
    for (size_t i = 0; i < 256; ++i)
      expected[128 + i] = pattern[i % size];
    EXPECT_EQ(read<unsigned char>(b, 512), expected) << size;
  }
}

TEST_F(EnqueueFillBuffer, PatternIsCopiedAtTheCall) {
  PROVES("API-5.2.3a");
  Mem b = buffer(16);
  Event gate = userEvent();
  int value = 5;
  ASSERT_EQ(clEnqueueFillBuffer(queue, b, &value, 4, 0, 16, 1, gate.address(), nullptr), CL_SUCCESS);
  value = 6;
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(read<int>(b, 4), std::vector<int>(4, 5));
}
} // namespace kiln::test
