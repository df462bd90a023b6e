#include "tests/api/ApiTest.h"

namespace kiln::test {
struct SetMemObjectDestructorCallback : WithQueue {};

TEST_F(SetMemObjectDestructorCallback, FunctionMissing) {
  PROVES("API-5.5.1b");
  Mem made = buffer(16);
  EXPECT_EQ(clSetMemObjectDestructorCallback(made, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clSetMemObjectDestructorCallback(nullptr, [](cl_mem, void *) {}, nullptr), CL_INVALID_MEM_OBJECT);
}

TEST_F(SetMemObjectDestructorCallback, LastRegisteredFirstAndAfterQueuedWork) {
  PROVES("API-5.5.1b R13 R14");
  static std::vector<int> order;
  order.clear();
  static int first = 1, second = 2;
  auto note = [](cl_mem, void *data) { order.push_back(*static_cast<int *>(data)); };
  Event gate = userEvent();
  Mem made = buffer(16);
  ASSERT_EQ(clSetMemObjectDestructorCallback(made, note, &first), CL_SUCCESS);
  ASSERT_EQ(clSetMemObjectDestructorCallback(made, note, &second), CL_SUCCESS);
  int value = 3;
  Event written;
  ASSERT_EQ(clEnqueueWriteBuffer(queue, made, CL_FALSE, 0, 4, &value, 1, gate.address(), written.out()), CL_SUCCESS);
  made.reset();
  EXPECT_TRUE(order.empty()) << "a queued command keeps the buffer alive";
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  EXPECT_EQ(order, (std::vector<int>{2, 1}));
}
} // namespace kiln::test
