// KILN_TRACE in applications that poll.
#include "tests/process/ProcessTest.h"
#include <algorithm>

namespace kiln::test {
namespace {

struct Trace : ProcessTest {};

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
  auto spans = [lines = linesOf(file)](const char *name) {
    return std::ranges::count_if(lines, [&](const std::string &line) { return line.find(name) != std::string::npos; });
  };
  EXPECT_EQ(spans("clFlush"), 1);
  EXPECT_EQ(spans("clGetEventInfo"), 0);
}

} // namespace
} // namespace kiln::test
