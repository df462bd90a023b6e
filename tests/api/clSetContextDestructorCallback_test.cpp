#include "tests/api/ApiTest.h"

namespace kiln::test {
struct SetContextDestructorCallback : WithContext {};

TEST_F(SetContextDestructorCallback, FunctionMissing) {
  PROVES("X-30b");
  EXPECT_EQ(clSetContextDestructorCallback(context, nullptr, nullptr), CL_INVALID_VALUE);
}

TEST_F(SetContextDestructorCallback, LastRegisteredFirst) {
  PROVES("X-30b");
  static std::vector<int> order;
  order.clear();
  static int first = 1, second = 2;
  auto note = [](cl_context, void *data) { order.push_back(*static_cast<int *>(data)); };
  EXPECT_EQ(clSetContextDestructorCallback(context, note, &first), CL_SUCCESS);
  EXPECT_EQ(clSetContextDestructorCallback(context, note, &second), CL_SUCCESS);
  Mem keepsAlive = buffer(64);
  context.reset();
  EXPECT_TRUE(order.empty()) << "a buffer keeps the context alive";
  keepsAlive.reset();
  EXPECT_EQ(order, (std::vector<int>{2, 1}));
}
} // namespace kiln::test
