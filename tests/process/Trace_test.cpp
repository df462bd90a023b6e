// KILN_TRACE in applications that poll, and that use command buffers.
#include "tests/process/CommandBuffer.h"
#include <algorithm>

namespace kiln::test {
namespace {

struct Trace : ProcessTest {
  /// The number of lines of the trace that contain the text.
  static ptrdiff_t count(const std::string &file, const char *text) {
    return std::ranges::count_if(linesOf(file),
                                 [&](const std::string &line) { return line.find(text) != std::string::npos; });
  }
};

// StarPU polls with clGetEventInfo while a task runs: 130,000 calls in a run of 120 tasks.
TEST_F(Trace, EventQueriesAreNotWritten) {
  PROVES("API-5.11e");
  const std::string file = folder + "/trace.json";
  inNewProcess(
      [] {
        App app;
        cl_event event = nullptr;
        ASSERT_EQ(clEnqueueMarkerWithWaitList(app.queue, 0, nullptr, &event), CL_SUCCESS);
        cl_int status = CL_QUEUED;
        ASSERT_EQ(clFlush(app.queue), CL_SUCCESS);
        for (int i = 0; i < 1000 || status != CL_COMPLETE; ++i)
          ASSERT_EQ(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
                    CL_SUCCESS);
        EXPECT_EQ(clReleaseEvent(event), CL_SUCCESS);
      },
      {{"KILN_TRACE", file}});
  EXPECT_EQ(count(file, "clFlush"), 1);
  EXPECT_EQ(count(file, "clGetEventInfo"), 0);
}

TEST_F(Trace, LaunchesOfCommandBuffers) {
  PROVES("X-E14");
  const std::string file = folder + "/trace.json";
  inNewProcess(
      [] {
        App app;
        Program program = app.source("kernel void of_a_buffer() {}");
        ASSERT_EQ(app.build(program), CL_SUCCESS);
        Kernel kernel = clCreateKernel(program, "of_a_buffer", nullptr);
        RecordedLaunches commands(app);
        for (int i = 0; i < 3; ++i)
          commands.add(kernel, 1);
        commands.execute(2);
      },
      {{"KILN_TRACE", file}});
  EXPECT_EQ(count(file, "\"name\":\"of_a_buffer\",\"cat\":\"command\""), 6);
}

} // namespace
} // namespace kiln::test
