#include "tests/api/ApiTest.h"

namespace kiln::test {
struct CreateCommandQueueWithProperties : WithContext {
  cl_int create(std::vector<cl_queue_properties> properties) {
    cl_int code = 1;
    Queue made = clCreateCommandQueueWithProperties(context, device, properties.data(), &code);
    EXPECT_EQ(made != nullptr, code == CL_SUCCESS);
    return code;
  }
};

TEST_F(CreateCommandQueueWithProperties, ContextOrDeviceInvalid) {
  PROVES("API-5.1b");
  cl_int code = 1;
  EXPECT_EQ(clCreateCommandQueueWithProperties(nullptr, device, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_CONTEXT);
  EXPECT_EQ(clCreateCommandQueueWithProperties(context, nullptr, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_DEVICE);
}

TEST_F(CreateCommandQueueWithProperties, PropertyUnknownOrRepeated) {
  PROVES("API-5.1b R15");
  EXPECT_EQ(create({0x4242, 1, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(create({CL_QUEUE_PROPERTIES, 0, CL_QUEUE_PROPERTIES, 0, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(create({CL_QUEUE_PROPERTIES, 1u << 20, 0}), CL_INVALID_VALUE);
}

TEST_F(CreateCommandQueueWithProperties, CombinationRules) {
  PROVES("API-5.1b");
  EXPECT_EQ(create({CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(create({CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE_DEFAULT, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(create({CL_QUEUE_SIZE, 4096, 0}), CL_INVALID_VALUE);
}

TEST_F(CreateCommandQueueWithProperties, EverythingTheDeviceReports) {
  PROVES("API-5.1a");
  EXPECT_EQ(
      create({CL_QUEUE_PROPERTIES,
              query<cl_command_queue_properties>(clGetDeviceInfo, device, CL_DEVICE_QUEUE_ON_HOST_PROPERTIES), 0}),
      CL_SUCCESS);
  EXPECT_EQ(create({0}), CL_SUCCESS);
  Queue byDefault = clCreateCommandQueueWithProperties(context, device, nullptr, nullptr);
  ASSERT_NE(byDefault, nullptr);
  EXPECT_EQ(query<cl_command_queue_properties>(clGetCommandQueueInfo, byDefault.get(), CL_QUEUE_PROPERTIES), 0u);
}
} // namespace kiln::test
