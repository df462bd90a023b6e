#include "tests/api/EnqueueRules.h"

namespace kiln::test {
struct EnqueueCopyBufferRect : EnqueueTest {
  using Three = std::array<size_t, 3>;
  cl_int copy(cl_mem from, cl_mem to, Three fromOrigin, Three toOrigin, Three region, size_t row, size_t slice,
              size_t toRow = 0, size_t toSlice = 0) {
    return clEnqueueCopyBufferRect(queue, from, to, fromOrigin.data(), toOrigin.data(), region.data(), row, slice,
                                   toRow ? toRow : row, toSlice ? toSlice : slice, 0, nullptr, nullptr);
  }
};

TEST_F(EnqueueCopyBufferRect, EnqueueRules) {
  PROVES("R5 R6 API-5.2.2d");
  Mem a = buffer(64), b = buffer(64);
  size_t zero[3] = {}, region[3] = {8, 2, 1};
  expectEnqueueRules([&](auto q, auto m, auto n, auto w,
                         auto e) { return clEnqueueCopyBufferRect(q, m, b, zero, zero, region, 0, 0, 0, 0, n, w, e); },
                     a);
}

TEST_F(EnqueueCopyBufferRect, PitchesAndBounds) {
  PROVES("API-5.2.2d");
  Mem a = buffer(64), b = buffer(64);
  EXPECT_EQ(copy(a, b, {0, 0, 0}, {0, 0, 0}, {8, 0, 1}, 8, 0), CL_INVALID_VALUE);
  EXPECT_EQ(copy(a, b, {0, 0, 0}, {0, 0, 0}, {8, 2, 1}, 7, 0), CL_INVALID_VALUE);
  EXPECT_EQ(copy(a, b, {0, 0, 0}, {0, 0, 0}, {8, 2, 2}, 8, 17), CL_INVALID_VALUE) << "slice pitch no multiple";
  EXPECT_EQ(copy(a, b, {0, 0, 0}, {0, 7, 0}, {8, 2, 1}, 8, 0), CL_INVALID_VALUE) << "destination's end";
  EXPECT_EQ(copy(a, b, {0, 7, 0}, {0, 0, 0}, {8, 2, 1}, 8, 0), CL_INVALID_VALUE) << "source's end";
}

TEST_F(EnqueueCopyBufferRect, TwoSetsOfPitchesInOneBuffer) {
  PROVES("API-5.2.2d");
  Mem a = buffer(256);
  EXPECT_EQ(copy(a, a, {0, 0, 0}, {0, 4, 0}, {4, 2, 1}, 8, 0, 16, 32), CL_INVALID_VALUE);
}

// Overlap as in appendix D of the specification: boxes may interleave if they have no byte in common.
TEST_F(EnqueueCopyBufferRect, Overlap) {
  PROVES("API-5.2.2d APP-D");
  Mem a = buffer(1024);
  // Rows of 16 bytes, slices of 4 rows.
  EXPECT_EQ(copy(a, a, {0, 0, 0}, {0, 0, 0}, {8, 2, 1}, 16, 64), CL_MEM_COPY_OVERLAP) << "onto itself";
  EXPECT_EQ(copy(a, a, {0, 0, 0}, {7, 1, 0}, {8, 2, 1}, 16, 64), CL_MEM_COPY_OVERLAP) << "one byte in common";
  EXPECT_EQ(copy(a, a, {0, 0, 0}, {8, 0, 0}, {8, 2, 1}, 16, 64), CL_SUCCESS) << "beside each other in each row";
  EXPECT_EQ(copy(a, a, {8, 0, 0}, {0, 0, 0}, {8, 2, 1}, 16, 64), CL_SUCCESS) << "and the other way around";
  EXPECT_EQ(copy(a, a, {0, 0, 0}, {8, 1, 0}, {9, 2, 1}, 16, 64), CL_MEM_COPY_OVERLAP) << "wraps into the next row";
  EXPECT_EQ(copy(a, a, {0, 0, 0}, {0, 2, 0}, {16, 2, 3}, 16, 64), CL_SUCCESS) << "in the padding after each slice";
  EXPECT_EQ(copy(a, a, {0, 0, 0}, {0, 1, 0}, {16, 2, 3}, 16, 64), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(copy(a, a, {0, 0, 0}, {0, 0, 3}, {16, 4, 3}, 16, 64), CL_SUCCESS) << "one after the other";
}

TEST_F(EnqueueCopyBufferRect, Copies) {
  PROVES("API-5.2.2d");
  std::vector<unsigned char> data(64), expected(64, 0);
  std::iota(data.begin(), data.end(), 0);
  Mem a = buffer(64, CL_MEM_COPY_HOST_PTR, data.data()), b = buffer(64, CL_MEM_COPY_HOST_PTR, expected.data());
  ASSERT_EQ(copy(a, b, {1, 2, 0}, {3, 0, 0}, {4, 3, 1}, 8, 0, 16, 0), CL_SUCCESS);
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 4; ++x)
      expected[y * 16 + 3 + x] = data[(2 + y) * 8 + 1 + x];
  EXPECT_EQ(read<unsigned char>(b, 64), expected);
}
} // namespace kiln::test
