#include "tests/api/EnqueueRules.h"

namespace kiln::test {
struct EnqueueMigrateMemObjects : EnqueueTest {};

TEST_F(EnqueueMigrateMemObjects, EnqueueRules) {
  PROVES("R5 R6 API-5.5.4a");
  Mem b = buffer(64);
  expectEnqueueRules([&](auto q, auto m, auto n, auto w,
                         auto e) { return clEnqueueMigrateMemObjects(q, 1, &m, CL_MIGRATE_MEM_OBJECT_HOST, n, w, e); },
                     b);
}

TEST_F(EnqueueMigrateMemObjects, ObjectsMissingOrFlagsUnknown) {
  PROVES("API-5.5.4a");
  Mem b = buffer(64);
  EXPECT_EQ(clEnqueueMigrateMemObjects(queue, 0, b.address(), 0, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueMigrateMemObjects(queue, 1, nullptr, 0, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clEnqueueMigrateMemObjects(queue, 1, b.address(), 1 << 10, 0, nullptr, nullptr), CL_INVALID_VALUE);
}

TEST_F(EnqueueMigrateMemObjects, KeepsContents) {
  PROVES("API-5.5.4a");
  std::vector<int> data = numbers(16);
  Mem b = buffer(64, CL_MEM_COPY_HOST_PTR, data.data());
  Event event;
  ASSERT_EQ(clEnqueueMigrateMemObjects(queue, 1, b.address(), 0, 0, nullptr, event.out()), CL_SUCCESS);
  EXPECT_EQ(read<int>(b, 16), data);
  EXPECT_EQ(commandType(event), cl_command_type(CL_COMMAND_MIGRATE_MEM_OBJECTS));
}
} // namespace kiln::test
