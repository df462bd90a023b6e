// A kernel that runs long gets the scalar form of its code on trial (runtime/program/DeviceKernel.h). Which form wins
// depends on the processor; launches have the right results before, during and after the trial.
#include "tests/process/ProcessTest.h"
#include <chrono>
#include <cstdio>

namespace kiln::test {
namespace {

constexpr const char *Source = R"(
kernel void prefix(global uint *p, local uint *t, uint rounds) {
  const uint item = get_local_id(0), size = get_local_size(0);
  uint sum = 0;
  for (uint round = 0; round < rounds; ++round) {
    t[item] = item + round;
    for (uint step = 1; step < size; step *= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      const uint index = (item + 1) * step * 2 - 1;
      if (index < size)
        t[index] += t[index - step];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += t[size - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  p[get_global_id(0)] = sum;
}
)";
constexpr unsigned Size = 64, Rounds = 8;
constexpr const char *Ready = "local size 64x1x1, scalar is ready";
constexpr const char *Decided = "local size 64x1x1, scalar takes ";

unsigned expectedSum() {
  unsigned sum = 0;
  for (unsigned round = 0; round < Rounds; ++round)
    sum += Size * (Size - 1) / 2 + Size * round;
  return sum;
}

struct ScalarForm : ProcessTest {
  /// Launches the kernel until the log has `end`, for at most `seconds`, and checks each result.
  static void launchUntil(const char *end, double seconds, const std::string &log) {
    App app;
    Program program = app.source(Source);
    ASSERT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
    cl_int code = 1;
    Kernel kernel = clCreateKernel(program, "prefix", &code);
    ASSERT_EQ(code, CL_SUCCESS);
    std::vector<unsigned> results(1 << 14);
    const size_t items = results.size(), local = Size;
    Mem buffer = clCreateBuffer(app.context, 0, 4 * items, nullptr, &code);
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), buffer.address()), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 1, Size * sizeof(cl_uint), nullptr), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 2, sizeof Rounds, &Rounds), CL_SUCCESS);
    const std::vector<unsigned> expected(items, expectedSum());
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < until && contentOf(log).find(end) == std::string::npos) {
      ASSERT_EQ(clEnqueueNDRangeKernel(app.queue, kernel, 1, nullptr, &items, &local, 0, nullptr, nullptr), CL_SUCCESS);
      ASSERT_EQ(clEnqueueReadBuffer(app.queue, buffer, CL_TRUE, 0, 4 * items, results.data(), 0, nullptr, nullptr),
                CL_SUCCESS);
      ASSERT_EQ(results, expected);
    }
  }
  std::string run(const char *end, double seconds, const char *variants = "earned", bool compilers = true) {
    const std::string log = folder + "/log";
    inNewProcess(
        [&] {
          ASSERT_NE(freopen(log.c_str(), "w", stderr), nullptr);
          if (!compilers) {
            leaveAtOnce();
            refuse(Refusal::AllKills);
          }
          launchUntil(end, seconds, log);
        },
        {{"KILN_VARIANTS", variants}, {"KILN_LOG", "info,program"}, {"KILN_CPU_THREADS", "2"}});
    return contentOf(log);
  }
};

TEST_F(ScalarForm, LongRunsTryIt) {
  const std::string log = run(Decided, 60);
  EXPECT_NE(log.find(Ready), std::string::npos) << log;
  EXPECT_NE(log.find(Decided), std::string::npos) << log;
}

TEST_F(ScalarForm, ShortRunsDoNot) {
  const std::string log = run(Ready, 0.01);
  EXPECT_EQ(log.find(Ready), std::string::npos) << log;
}

TEST_F(ScalarForm, LaterProcessesNeedNoCompiler) {
  ASSERT_NE(run(Decided, 60).find(Decided), std::string::npos);
  const std::string log = run("nothing", 0.3, "earned", /*compilers=*/false);
  EXPECT_EQ(log.find("no variant"), std::string::npos) << log;
}

TEST_F(ScalarForm, NotWithARepeatableChoice) {
  const std::string log = run(Ready, 0.5, "always");
  EXPECT_EQ(log.find(Ready), std::string::npos) << log;
}

} // namespace
} // namespace kiln::test
