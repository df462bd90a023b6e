// Entries of unsupported features: in the table, each returns the specification's error.
#include "tests/api/ApiTest.h"

namespace kiln::test {
struct AbsentFeatures : WithQueue {
  cl_int code = 1;
};

TEST_F(AbsentFeatures, BuiltInKernels) {
  PROVES("API-5.8.1e");
  cl_device_id d = device;
  EXPECT_EQ(clCreateProgramWithBuiltInKernels(context, 1, &d, "anything", &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateProgramWithBuiltInKernels(context, 0, nullptr, "anything", &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_VALUE);
}

TEST_F(AbsentFeatures, ExtensionNames) {
  PROVES("API-ICDb");
  EXPECT_NE(clGetExtensionFunctionAddressForPlatform(platform, "clCreateProgramWithILKHR"), nullptr);
  EXPECT_NE(clGetExtensionFunctionAddressForPlatform(platform, "clCreateCommandQueueWithPropertiesKHR"), nullptr);
  EXPECT_EQ(clGetExtensionFunctionAddressForPlatform(platform, "clNoSuchEntryKHR"), nullptr);
  EXPECT_EQ(clUnloadPlatformCompiler(platform), CL_SUCCESS);
}
} // namespace kiln::test
