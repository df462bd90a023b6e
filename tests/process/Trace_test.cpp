// KILN_TRACE: queries, commands with their arguments and arrows (runtime/queue/CommandTrace.h), command buffers.
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

TEST_F(Trace, CommandsHaveArgumentsAndArrows) {
  PROVES("API-5.14a");
  const std::string file = folder + "/trace.json";
  inNewProcess(
      [] {
        App app;
        Program program = app.source("kernel void fill(global int *p) { p[get_global_id(0)] = 7; }");
        ASSERT_EQ(app.build(program), CL_SUCCESS);
        EXPECT_EQ(app.run(program, 64, "fill"), std::vector<int>(64, 7));
        EXPECT_EQ(clFinish(app.queue), CL_SUCCESS);
      },
      {{"KILN_TRACE", file}});
  std::vector<std::string> lines = linesOf(file);
  const auto launch = std::ranges::find_if(lines, [](const std::string &line) {
    return line.find("\"name\":\"fill\",\"cat\":\"command\"") != std::string::npos;
  });
  ASSERT_NE(launch, lines.end());
  EXPECT_NE(launch->find("\"global size\":\"64x1x1\",\"local size\":\""), std::string::npos) << *launch;
  EXPECT_NE(launch->find("\"form\":\""), std::string::npos) << *launch;
  EXPECT_GE(count(file, ", queue 1\"}}"), 1); // the track
  EXPECT_GE(count(file, "\"bytes\":256"), 1); // of the read
  EXPECT_EQ(count(file, "\"cat\":\"arrow\",\"ph\":\"s\""), count(file, "\"cat\":\"arrow\",\"ph\":\"f\""));
  EXPECT_GE(count(file, "{\"name\":\"enqueue\",\"cat\":\"arrow\",\"ph\":\"s\""), 2);
  EXPECT_GE(count(file, "{\"name\":\"wait\",\"cat\":\"arrow\",\"ph\":\"s\""), 1);
}

TEST_F(Trace, QueriesAreWrittenOnRequest) {
  const std::string file = folder + "/trace.json";
  const auto queryOften = [] {
    App app;
    cl_uint count = 0;
    for (int i = 0; i < 100; ++i)
      ASSERT_EQ(clGetContextInfo(app.context, CL_CONTEXT_NUM_DEVICES, sizeof count, &count, nullptr), CL_SUCCESS);
  };
  inNewProcess(queryOften, {{"KILN_TRACE", file}});
  EXPECT_LT(count(file, "clGetContextInfo"), 50); // those that took long, on a busy machine
  inNewProcess(queryOften, {{"KILN_TRACE", file}, {"KILN_TRACE_QUERIES", "on"}});
  EXPECT_EQ(count(file, "clGetContextInfo"), 100);
}

} // namespace
} // namespace kiln::test
