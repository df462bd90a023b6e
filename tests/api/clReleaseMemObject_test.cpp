#include "tests/api/ApiTest.h"

namespace kiln::test {
struct ReleaseMemObject : WithQueue {};

TEST_F(ReleaseMemObject, HandleInvalid) {
  PROVES("R13 API-5.5.1a");
  EXPECT_EQ(clReleaseMemObject(nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_EQ(clRetainMemObject(nullptr), CL_INVALID_MEM_OBJECT);
}

// Every object starts with the same word, so the loader accepts any; the kind distinguishes them.
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
// Use after the last release is an error and no crash, at least for a while.
TEST_F(ReleaseMemObject, HandleReleasedBefore) {
  PROVES("R13");
#ifdef KILN_SANITIZED
  GTEST_SKIP() << "memory goes back at once, so that the sanitizer sees uses of it";
#endif
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
} // namespace kiln::test
