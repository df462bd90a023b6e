#include "tests/api/ApiTest.h"

namespace kiln::test {
struct CreateContextFromType : WithDevice {
  cl_int create(cl_device_type type, bool ours = true) {
    cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                          reinterpret_cast<cl_context_properties>(ours ? platform : nullptr), 0};
    cl_int code = 1;
    Context made = clCreateContextFromType(properties, type, nullptr, nullptr, &code);
    EXPECT_EQ(made != nullptr, code == CL_SUCCESS);
    return code;
  }
};

TEST_F(CreateContextFromType, TypeUnknown) {
  PROVES("API-4.4c");
  EXPECT_EQ(create(0), CL_INVALID_DEVICE_TYPE);
  EXPECT_EQ(create(1 << 20), CL_INVALID_DEVICE_TYPE);
}
TEST_F(CreateContextFromType, NoDeviceOfTheType) {
  PROVES("API-4.4c");
  EXPECT_EQ(create(CL_DEVICE_TYPE_CUSTOM), CL_DEVICE_NOT_FOUND);
}
TEST_F(CreateContextFromType, TypeOfOneDevice) {
  PROVES("API-4.4c");
  const cl_device_type own = query<cl_device_type>(clGetDeviceInfo, device, CL_DEVICE_TYPE);
  EXPECT_EQ(create(own & ~CL_DEVICE_TYPE_DEFAULT), CL_SUCCESS);
}
} // namespace kiln::test
