#include "tests/api/ApiTest.h"

namespace kiln::test {
struct GetContextInfo : WithContext {};

TEST_F(GetContextInfo, InfoRules) {
  PROVES("R3 API-4.4e");
  expectInfoRules(clGetContextInfo, context.get(), CL_CONTEXT_REFERENCE_COUNT);
  EXPECT_EQ(clGetContextInfo(nullptr, CL_CONTEXT_DEVICES, 0, nullptr, nullptr), CL_INVALID_CONTEXT);
}

TEST_F(GetContextInfo, DevicesAndCounts) {
  PROVES("API-4.4e R13");
  cl_context c = context;
  EXPECT_EQ(query<cl_uint>(clGetContextInfo, c, CL_CONTEXT_NUM_DEVICES), 1u);
  EXPECT_EQ(queryList<cl_device_id>(clGetContextInfo, c, CL_CONTEXT_DEVICES), std::vector<cl_device_id>{device});
  EXPECT_EQ(query<cl_uint>(clGetContextInfo, c, CL_CONTEXT_REFERENCE_COUNT), 1u);
  EXPECT_EQ(clRetainContext(c), CL_SUCCESS);
  EXPECT_EQ(query<cl_uint>(clGetContextInfo, c, CL_CONTEXT_REFERENCE_COUNT), 2u);
  EXPECT_EQ(clReleaseContext(c), CL_SUCCESS);
}

TEST_F(GetContextInfo, PropertyListIsReturned) {
  PROVES("API-4.4e R15");
  EXPECT_LE(queryList<cl_context_properties>(clGetContextInfo, context.get(), CL_CONTEXT_PROPERTIES).size(), 1u);
  std::vector<cl_context_properties> given{CL_CONTEXT_INTEROP_USER_SYNC, CL_TRUE, CL_CONTEXT_PLATFORM,
                                           reinterpret_cast<cl_context_properties>(platform), 0};
  Context other = clCreateContext(given.data(), 1, &device, nullptr, nullptr, nullptr);
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(queryList<cl_context_properties>(clGetContextInfo, other.get(), CL_CONTEXT_PROPERTIES), given);
}
} // namespace kiln::test
