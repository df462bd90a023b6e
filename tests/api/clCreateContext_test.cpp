#include "tests/api/ApiTest.h"

namespace kiln::test {
struct CreateContext : WithDevice {
  cl_int create(const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
                void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *) = nullptr, void *data = nullptr) {
    cl_int code = 1;
    Context made = clCreateContext(properties, count, devices, notify, data, &code);
    EXPECT_EQ(made != nullptr, code == CL_SUCCESS);
    return code;
  }
};

TEST_F(CreateContext, DevicesMissing) {
  PROVES("API-4.4a");
  EXPECT_EQ(create(nullptr, 0, &device), CL_INVALID_VALUE);
  EXPECT_EQ(create(nullptr, 1, nullptr), CL_INVALID_VALUE);
}

TEST_F(CreateContext, DeviceInvalid) {
  PROVES("API-4.4a");
  cl_device_id devices[] = {device, nullptr};
  EXPECT_EQ(create(nullptr, 2, devices), CL_INVALID_DEVICE);
}

TEST_F(CreateContext, PropertyUnknownOrRepeated) {
  PROVES("API-4.4a R15");
  cl_context_properties unknown[] = {0x4242, 1, 0};
  EXPECT_EQ(create(unknown, 1, &device), CL_INVALID_PROPERTY);
  cl_context_properties id = reinterpret_cast<cl_context_properties>(platform);
  cl_context_properties repeated[] = {CL_CONTEXT_PLATFORM, id, CL_CONTEXT_PLATFORM, id, 0};
  EXPECT_EQ(create(repeated, 1, &device), CL_INVALID_PROPERTY);
  cl_context_properties badValue[] = {CL_CONTEXT_INTEROP_USER_SYNC, 5, 0};
  EXPECT_EQ(create(badValue, 1, &device), CL_INVALID_PROPERTY);
}

TEST_F(CreateContext, PlatformInvalid) {
  PROVES("API-4.4a");
  cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, 0, 0};
  EXPECT_EQ(create(properties, 1, &device), CL_INVALID_PLATFORM);
}

TEST_F(CreateContext, UserDataWithoutCallback) {
  PROVES("API-4.4a R14");
  int data;
  EXPECT_EQ(create(nullptr, 1, &device, nullptr, &data), CL_INVALID_VALUE);
}

TEST_F(CreateContext, DeviceListedTwiceCountsOnce) {
  PROVES("API-4.4a");
  cl_device_id devices[] = {device, device};
  cl_int code = 1;
  Context context = clCreateContext(nullptr, 2, devices, nullptr, nullptr, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  EXPECT_EQ(query<cl_uint>(clGetContextInfo, context.get(), CL_CONTEXT_NUM_DEVICES), 1u);
}

TEST_F(CreateContext, NullErrcode) {
  PROVES("R2");
  Context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  EXPECT_NE(context, nullptr);
}
} // namespace kiln::test
