// A variant for a local size is compiled once launches have taken as long as its compilation will
// (KILN_VARIANTS=earned), and used at once if an earlier process has left it in the cache.
#include "tests/process/ProcessTest.h"
#include <chrono>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace kiln::test {
namespace {

constexpr const char *Source = R"(
kernel void mix(global uint *p, uint rounds, local uint *room) {
  const uint item = get_local_id(0), items = get_local_size(0);
  uint x = p[get_global_id(0)];
  for (uint i = 0; i < rounds; ++i) {
    room[item] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    x = x * 1664525 + room[(item + i + 1) % items];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  p[get_global_id(0)] = x;
}
)";
constexpr const char *Ready = "the variant of mix for local size 64x1x1 is ready";

struct EarnedVariants : ProcessTest {
  /// Launches the kernel, and waits for each launch if `waits`, until `seconds` are over or the log has `Ready`, but at
  /// least four times.
  static void launchFor(double seconds, unsigned rounds, const std::string &log, bool waits) {
    App app;
    Program program = app.source(Source);
    ASSERT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
    cl_int code = 1;
    Kernel kernel = clCreateKernel(program, "mix", &code);
    ASSERT_EQ(code, CL_SUCCESS);
    const size_t items = 1 << 14, local = 64;
    Mem buffer = clCreateBuffer(app.context, 0, 4 * items, nullptr, &code);
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), buffer.address()), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof rounds, &rounds), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 2, 4 * local, nullptr), CL_SUCCESS);
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    for (int launch = 0; launch < 4 || std::chrono::steady_clock::now() < end; ++launch) {
      ASSERT_EQ(clEnqueueNDRangeKernel(app.queue, kernel, 1, nullptr, &items, &local, 0, nullptr, nullptr), CL_SUCCESS);
      if (waits)
        ASSERT_EQ(clFinish(app.queue), CL_SUCCESS);
      if (launch >= 4 && contentOf(log).find(Ready) != std::string::npos)
        return;
    }
    ASSERT_EQ(clFinish(app.queue), CL_SUCCESS);
  }
  Environment with(const char *variants) {
    return {{"KILN_VARIANTS", variants},
            {"KILN_QUICK_FORM", "off"},
            {"KILN_LOG", "info,program"},
            {"KILN_CPU_THREADS", "1"}};
  }
  bool isReady() const { return errors.find(Ready) != std::string::npos; }
  /// What the process writes to standard error goes to a file that it can read itself.
  void run(double seconds, unsigned rounds, const char *variants, bool compilers = true, bool waits = true) {
    const std::string log = folder + "/log";
    inNewProcess(
        [&] {
          ASSERT_NE(freopen(log.c_str(), "w", stderr), nullptr);
          if (!compilers) {
            leaveAtOnce();
            refuse(Refusal::AllKills);
          }
          launchFor(seconds, rounds, log, waits);
        },
        with(variants));
    errors = contentOf(log);
  }
};

TEST_F(EarnedVariants, ShortLaunchesEarnNone) {
  run(0, 1, "earned");
  EXPECT_FALSE(isReady()) << errors;
}

// No launch has ended yet when the later ones are enqueued, so nothing is known of their time.
TEST_F(EarnedVariants, ShortLaunchesWithoutAWaitEarnNone) {
  run(0, 1, "earned", /*compilers=*/true, /*waits=*/false);
  EXPECT_FALSE(isReady()) << errors;
}

TEST_F(EarnedVariants, LongLaunchesEarnOne) {
  run(60, 2000, "earned");
  EXPECT_TRUE(isReady()) << errors;
}

TEST_F(EarnedVariants, NextProcessTakesItFromTheCache) {
  run(60, 1, "always");
  ASSERT_TRUE(isReady()) << errors;
  run(60, 1, "earned", /*compilers=*/false);
  EXPECT_TRUE(isReady()) << errors;
}

TEST_F(EarnedVariants, OffMeansNone) {
  run(60, 1, "always");
  ASSERT_TRUE(isReady()) << errors;
  run(0.3, 2000, "off");
  EXPECT_FALSE(isReady()) << errors;
}

} // namespace
} // namespace kiln::test
