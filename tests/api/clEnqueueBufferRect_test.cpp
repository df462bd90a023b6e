// clEnqueueReadBufferRect and clEnqueueWriteBufferRect, which have the same rules.
#include "tests/api/EnqueueRules.h"

#include <algorithm>

namespace kiln::test {
struct EnqueueBufferRect : EnqueueTest {
  cl_int readRect(cl_mem from, std::array<size_t, 3> origin, std::array<size_t, 3> region, size_t rowPitch,
                  size_t slicePitch, void *to, size_t hostRowPitch = 0, size_t hostSlicePitch = 0) {
    size_t zero[3] = {};
    return clEnqueueReadBufferRect(queue, from, CL_TRUE, origin.data(), zero, region.data(), rowPitch, slicePitch,
                                   hostRowPitch, hostSlicePitch, to, 0, nullptr, nullptr);
  }
  unsigned char room[256] = {};
  size_t zero[3] = {}, small[3] = {4, 2, 2};
};

TEST_F(EnqueueBufferRect, EnqueueRules) {
  PROVES("R5 R6 API-5.2.2b");
  Mem b = buffer(256);
  expectEnqueueRules(
      [&](auto q, auto m, auto n, auto w, auto e) {
        return clEnqueueReadBufferRect(q, m, CL_FALSE, zero, zero, small, 0, 0, 0, 0, room, n, w, e);
      },
      b);
  expectEnqueueRules(
      [&](auto q, auto m, auto n, auto w, auto e) {
        return clEnqueueWriteBufferRect(q, m, CL_FALSE, zero, zero, small, 0, 0, 0, 0, room, n, w, e);
      },
      b);
}

TEST_F(EnqueueBufferRect, RegionWithZero) {
  PROVES("API-5.2.2b");
  Mem b = buffer(256);
  EXPECT_EQ(readRect(b, {0, 0, 0}, {0, 1, 1}, 0, 0, room), CL_INVALID_VALUE);
  EXPECT_EQ(readRect(b, {0, 0, 0}, {4, 0, 1}, 0, 0, room), CL_INVALID_VALUE);
  EXPECT_EQ(readRect(b, {0, 0, 0}, {4, 1, 0}, 0, 0, room), CL_INVALID_VALUE);
}

TEST_F(EnqueueBufferRect, PitchTooSmallOrNoMultiple) {
  PROVES("API-5.2.2b");
  Mem b = buffer(256);
  EXPECT_EQ(readRect(b, {0, 0, 0}, {4, 2, 2}, 3, 0, room), CL_INVALID_VALUE) << "row pitch";
  EXPECT_EQ(readRect(b, {0, 0, 0}, {4, 2, 2}, 8, 15, room), CL_INVALID_VALUE) << "slice pitch too small";
  EXPECT_EQ(readRect(b, {0, 0, 0}, {4, 2, 2}, 8, 20, room), CL_INVALID_VALUE) << "slice pitch no multiple";
  EXPECT_EQ(readRect(b, {0, 0, 0}, {4, 2, 2}, 8, 16, room, 3, 0), CL_INVALID_VALUE) << "host row pitch";
  EXPECT_EQ(readRect(b, {0, 0, 0}, {4, 2, 2}, 8, 16, room, 4, 7), CL_INVALID_VALUE) << "host slice pitch";
}

TEST_F(EnqueueBufferRect, BoxPastTheEnd) {
  PROVES("API-5.2.2b");
  Mem b = buffer(256);
  EXPECT_EQ(readRect(b, {0, 0, 0}, {16, 4, 4}, 16, 64, room), CL_SUCCESS) << "the whole buffer";
  EXPECT_EQ(readRect(b, {1, 0, 0}, {16, 4, 4}, 16, 64, room), CL_INVALID_VALUE);
  EXPECT_EQ(readRect(b, {0, 0, 1}, {16, 4, 4}, 16, 64, room), CL_INVALID_VALUE);
  EXPECT_EQ(readRect(b, {0, 0, SIZE_MAX / 8}, {16, 1, 1}, 16, 64, room), CL_INVALID_VALUE) << "origin overflows";
  EXPECT_EQ(readRect(b, {0, 0, 0}, {16, SIZE_MAX / 8, 2}, 16, 0, room), CL_INVALID_VALUE) << "region overflows";
}

TEST_F(EnqueueBufferRect, HostAccess) {
  PROVES("R12");
  EXPECT_EQ(readRect(buffer(256, CL_MEM_HOST_NO_ACCESS), {0, 0, 0}, {4, 1, 1}, 0, 0, room), CL_INVALID_OPERATION);
  EXPECT_EQ(clEnqueueWriteBufferRect(queue, buffer(256, CL_MEM_HOST_READ_ONLY), CL_TRUE, zero, zero, small, 0, 0, 0, 0,
                                     room, 0, nullptr, nullptr),
            CL_INVALID_OPERATION);
}

// Writes a box of 3 bytes x 2 rows x 2 slices to a buffer with 8-byte rows and 32-byte slices, and reads it with other
// host pitches.
TEST_F(EnqueueBufferRect, BoxWithDifferentPitches) {
  PROVES("API-5.2.2b");
  std::vector<unsigned char> background(256, 0xee);
  Mem b = buffer(256, CL_MEM_COPY_HOST_PTR, background.data());
  unsigned char packed[12];
  std::iota(std::begin(packed), std::end(packed), 1);
  size_t at[3] = {2, 1, 3}, region[3] = {3, 2, 2};
  ASSERT_EQ(clEnqueueWriteBufferRect(queue, b, CL_TRUE, at, zero, region, 8, 32, 0, 0, packed, 0, nullptr, nullptr),
            CL_SUCCESS);
  std::vector<unsigned char> expected = background;
  for (int z = 0, i = 0; z < 2; ++z)
    for (int y = 0; y < 2; ++y)
      for (int x = 0; x < 3; ++x)
        expected[(3 + z) * 32 + (1 + y) * 8 + 2 + x] = packed[i++];
  EXPECT_EQ(read<unsigned char>(b, 256), expected);

  std::vector<unsigned char> wide(64, 0);
  size_t hostAt[3] = {1, 0, 0};
  Event event;
  ASSERT_EQ(clEnqueueReadBufferRect(queue, b, CL_TRUE, at, hostAt, region, 8, 32, 10, 30, wide.data(), 0, nullptr,
                                    event.out()),
            CL_SUCCESS);
  EXPECT_EQ(commandType(event), cl_command_type(CL_COMMAND_READ_BUFFER_RECT));
  for (int z = 0, i = 0; z < 2; ++z)
    for (int y = 0; y < 2; ++y)
      for (int x = 0; x < 3; ++x)
        EXPECT_EQ(wide[z * 30 + y * 10 + 1 + x], packed[i++]);
  EXPECT_EQ(std::count_if(wide.begin(), wide.end(), [](unsigned char c) { return c != 0; }), 12);
}
} // namespace kiln::test
