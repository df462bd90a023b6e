#include "tests/api/ApiTest.h"

namespace kiln::test {
struct GetCommandQueueInfo : WithQueue {
  template <typename T> T get(cl_command_queue_info param) {
    return query<T>(clGetCommandQueueInfo, queue.get(), param);
  }
};

TEST_F(GetCommandQueueInfo, InfoRules) {
  PROVES("R3 API-5.1f");
  expectInfoRules(clGetCommandQueueInfo, queue.get(), CL_QUEUE_CONTEXT);
  EXPECT_EQ(clGetCommandQueueInfo(nullptr, CL_QUEUE_CONTEXT, 0, nullptr, nullptr), CL_INVALID_COMMAND_QUEUE);
}

TEST_F(GetCommandQueueInfo, Values) {
  PROVES("API-5.1f X-30c R13");
  EXPECT_EQ(get<cl_context>(CL_QUEUE_CONTEXT), context);
  EXPECT_EQ(get<cl_device_id>(CL_QUEUE_DEVICE), device);
  EXPECT_EQ(get<cl_uint>(CL_QUEUE_REFERENCE_COUNT), 1u);
  EXPECT_EQ(get<cl_command_queue_properties>(CL_QUEUE_PROPERTIES),
            cl_command_queue_properties(CL_QUEUE_PROFILING_ENABLE));
  EXPECT_EQ(get<cl_command_queue>(CL_QUEUE_DEVICE_DEFAULT), nullptr);
  EXPECT_EQ(queryList<cl_queue_properties>(clGetCommandQueueInfo, queue.get(), CL_QUEUE_PROPERTIES_ARRAY),
            (std::vector<cl_queue_properties>{CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0}));
}

TEST_F(GetCommandQueueInfo, SizeOfHostQueue) {
  PROVES("API-5.1f");
  cl_uint size;
  EXPECT_EQ(clGetCommandQueueInfo(queue, CL_QUEUE_SIZE, sizeof size, &size, nullptr), CL_INVALID_COMMAND_QUEUE);
}

TEST_F(GetCommandQueueInfo, PropertiesArrayOfOldEntryIsEmpty) {
  PROVES("X-30c API-ICDc");
  Queue old = clCreateCommandQueue(context, device, 0, nullptr);
  ASSERT_NE(old, nullptr);
  EXPECT_TRUE(queryList<cl_queue_properties>(clGetCommandQueueInfo, old.get(), CL_QUEUE_PROPERTIES_ARRAY).empty());
}
} // namespace kiln::test
