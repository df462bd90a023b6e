#include "tests/api/EnqueueRules.h"

namespace kiln::test {
struct ReleaseContext : EnqueueTest {};

TEST_F(ReleaseContext, HandleInvalid) {
  PROVES("API-4.4d R13");
  EXPECT_EQ(clReleaseContext(nullptr), CL_INVALID_CONTEXT);
  EXPECT_EQ(clRetainContext(nullptr), CL_INVALID_CONTEXT);
}

TEST_F(ReleaseContext, ObjectsKeepIt) {
  PROVES("API-4.4d R13");
  std::vector<int> data = numbers(16);
  Mem b = buffer(64, CL_MEM_COPY_HOST_PTR, data.data());
  context.reset();
  EXPECT_EQ(read<int>(b, 16), data);
  EXPECT_EQ(query<cl_uint>(clGetContextInfo, query<cl_context>(clGetMemObjectInfo, b.get(), CL_MEM_CONTEXT),
                           CL_CONTEXT_NUM_DEVICES),
            1u);
}
} // namespace kiln::test
