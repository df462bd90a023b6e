#include "tests/api/ApiTest.h"

namespace kiln::test {
struct GetDeviceIDs : WithDevice {};

TEST_F(GetDeviceIDs, TypeMaskEmptyOrUnknown) {
  PROVES("API-4.2a");
  cl_device_id id;
  EXPECT_EQ(clGetDeviceIDs(platform, 0, 1, &id, nullptr), CL_INVALID_DEVICE_TYPE);
  EXPECT_EQ(clGetDeviceIDs(platform, 1 << 20, 1, &id, nullptr), CL_INVALID_DEVICE_TYPE);
}

TEST_F(GetDeviceIDs, NoDeviceOfTheType) {
  PROVES("API-4.2a");
  cl_uint count = 7;
  EXPECT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CUSTOM, 0, nullptr, &count), CL_DEVICE_NOT_FOUND);
}

TEST_F(GetDeviceIDs, NumEntriesZero) {
  PROVES("R4");
  cl_device_id id;
  EXPECT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, &id, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, nullptr), CL_INVALID_VALUE);
}

TEST_F(GetDeviceIDs, OwnTypeDefaultAndAll) {
  PROVES("API-4.2a");
  const cl_device_type own = query<cl_device_type>(clGetDeviceInfo, device, CL_DEVICE_TYPE) & ~CL_DEVICE_TYPE_DEFAULT;
  cl_device_id found, byDefault;
  cl_uint count = 0;
  ASSERT_EQ(clGetDeviceIDs(platform, own, 1, &found, nullptr), CL_SUCCESS);
  EXPECT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &byDefault, &count), CL_SUCCESS);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count), CL_SUCCESS);
  EXPECT_GE(count, 1u);
  EXPECT_EQ(query<cl_device_type>(clGetDeviceInfo, found, CL_DEVICE_TYPE) & own, own);
}
} // namespace kiln::test
