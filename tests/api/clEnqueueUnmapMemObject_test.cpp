#include "tests/api/EnqueueRules.h"

namespace kiln::test {
struct EnqueueUnmapMemObject : EnqueueTest {};

TEST_F(EnqueueUnmapMemObject, EnqueueRules) {
  PROVES("R5 R6 API-5.5.2a");
  Mem b = buffer(64);
  void *mapped = clEnqueueMapBuffer(queue, b, CL_TRUE, CL_MAP_READ, 0, 64, 0, nullptr, nullptr, nullptr);
  expectEnqueueRules(
      [&](auto q, auto m, auto n, auto w, auto e) { return clEnqueueUnmapMemObject(q, m, mapped, n, w, e); }, b);
}

TEST_F(EnqueueUnmapMemObject, PointerOfNoMap) {
  PROVES("API-5.5.2a");
  Mem a = buffer(64), b = buffer(64);
  void *mapped = clEnqueueMapBuffer(queue, a, CL_TRUE, CL_MAP_READ, 0, 64, 0, nullptr, nullptr, nullptr);
  ASSERT_NE(mapped, nullptr);
  EXPECT_EQ(clEnqueueUnmapMemObject(queue, b, mapped, 0, nullptr, nullptr), CL_INVALID_VALUE) << "of another object";
  EXPECT_EQ(clEnqueueUnmapMemObject(queue, a, &mapped, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueUnmapMemObject(queue, a, nullptr, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueUnmapMemObject(queue, a, mapped, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clEnqueueUnmapMemObject(queue, a, mapped, 0, nullptr, nullptr), CL_INVALID_VALUE) << "unmapped twice";
}
} // namespace kiln::test
