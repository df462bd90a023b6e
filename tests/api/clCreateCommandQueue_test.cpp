#include "tests/api/ApiTest.h"

namespace kiln::test {
struct CreateCommandQueue : WithContext {};

TEST_F(CreateCommandQueue, PropertyUnknown) {
  PROVES("API-ICDc");
  cl_int code = 1;
  EXPECT_EQ(clCreateCommandQueue(context, device, 1u << 20, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_VALUE);
}
TEST_F(CreateCommandQueue, ContextOrDeviceInvalid) {
  PROVES("API-ICDc");
  cl_int code = 1;
  EXPECT_EQ(clCreateCommandQueue(nullptr, device, 0, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_CONTEXT);
  EXPECT_EQ(clCreateCommandQueue(context, nullptr, 0, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_DEVICE);
}
TEST_F(CreateCommandQueue, WithProfiling) {
  PROVES("API-ICDc");
  cl_int code = 1;
  Queue queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &code);
  EXPECT_EQ(code, CL_SUCCESS);
  EXPECT_EQ(clRetainCommandQueue(queue), CL_SUCCESS);
  EXPECT_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
}
} // namespace kiln::test
