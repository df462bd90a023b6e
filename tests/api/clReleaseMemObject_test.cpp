#include "tests/api/ApiTest.h"

namespace kiln::test {
struct ReleaseMemObject : WithQueue {};

TEST_F(ReleaseMemObject, HandleInvalid) {
  PROVES("R13 API-5.5.1a");
  EXPECT_EQ(clReleaseMemObject(nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clRetainMemObject(nullptr), CL_INVALID_MEM_OBJECT);
}

// All objects start with the same ICD dispatch word, so the loader accepts any of them. Kiln checks the object's kind.
TEST_F(ReleaseMemObject, HandleOfAnotherKind) {
  PROVES("R13");
  cl_context c = context;
  EXPECT_EQ(clReleaseMemObject(reinterpret_cast<cl_mem>(c)), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clReleaseEvent(reinterpret_cast<cl_event>(c)), CL_INVALID_EVENT);
  EXPECT_EQ(clFinish(reinterpret_cast<cl_command_queue>(c)), CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(clReleaseContext(reinterpret_cast<cl_context>(queue.get())), CL_INVALID_CONTEXT);
  EXPECT_EQ(clReleaseKernel(reinterpret_cast<cl_kernel>(c)), CL_INVALID_KERNEL);
  EXPECT_EQ(clReleaseProgram(reinterpret_cast<cl_program>(c)), CL_INVALID_PROGRAM);
}
// Using a handle after its last release returns CL_INVALID_* and does not crash.
TEST_F(ReleaseMemObject, HandleReleasedBefore) {
  PROVES("R13");
  if (hasSanitizer())
    GTEST_SKIP() << "with a sanitizer, memory is freed at once so that uses after free are found";
  cl_mem b = buffer(64).get();
  EXPECT_EQ(clReleaseMemObject(b), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clRetainMemObject(b), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clGetMemObjectInfo(b, CL_MEM_SIZE, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  int value = 0;
  EXPECT_EQ(clEnqueueFillBuffer(queue, b, &value, 4, 0, 4, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  cl_event event = userEvent().get();
  EXPECT_EQ(clReleaseEvent(event), CL_INVALID_EVENT);
  EXPECT_EQ(clEnqueueMarkerWithWaitList(queue, 1, &event, nullptr), CL_INVALID_EVENT_WAIT_LIST);
  cl_command_queue other = makeQueue().get();
  EXPECT_EQ(clFinish(other), CL_INVALID_COMMAND_QUEUE);
}
// Using a handle long after its last release returns CL_INVALID_* and does not crash. (If its memory was reused, it may
// name a live object; this test releases all of them.)
TEST_F(ReleaseMemObject, HandlesReleasedLongAgo) {
  PROVES("R13");
  if (hasSanitizer())
    GTEST_SKIP() << "with a sanitizer, memory is freed at once so that uses after free are found";
  std::vector<cl_mem> buffers;
  std::vector<cl_event> events;
  std::vector<cl_sampler> samplers;
  for (int i = 0; i < 3000; ++i) {
    buffers.push_back(buffer(64).get());
    events.push_back(userEvent().get());
    samplers.push_back(clCreateSampler(context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, nullptr));
    EXPECT_EQ(clReleaseSampler(samplers.back()), CL_SUCCESS);
    std::vector<std::string> others(8, std::string(100 + i % 500, 'x')); // reuses freed memory
  }
  for (cl_mem old : buffers)
    EXPECT_EQ(clGetMemObjectInfo(old, CL_MEM_SIZE, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
  for (cl_event old : events)
    EXPECT_EQ(clGetEventInfo(old, CL_EVENT_REFERENCE_COUNT, 0, nullptr, nullptr), CL_INVALID_EVENT);
  for (cl_sampler old : samplers)
    EXPECT_EQ(clReleaseSampler(old), CL_INVALID_SAMPLER);
  EXPECT_EQ(clReleaseMemObject(reinterpret_cast<cl_mem>(events[0])), CL_INVALID_MEM_OBJECT);
}
} // namespace kiln::test
