// A kernel that runs long gets code of fewer lanes on trial (runtime/program/DeviceKernel.h): of half the machine width
// where that has 16, then the scalar form. Which one wins depends on the processor; launches have the right results
// before, during and after the trials.
#include "tests/process/VariantTest.h"

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
constexpr unsigned Size = LaunchedKernel::Local, Rounds = 8;
constexpr const char *HalfDecided = "local size 64x1x1, half width takes ";
constexpr const char *HalfReady = "local size 64x1x1, half width is ready";
constexpr const char *ScalarDecided = "local size 64x1x1, scalar takes ";
constexpr const char *ScalarReady = "local size 64x1x1, scalar is ready";

unsigned expectedSum() {
  unsigned sum = 0;
  for (unsigned round = 0; round < Rounds; ++round)
    sum += Size * (Size - 1) / 2 + Size * round;
  return sum;
}

constexpr const char *IsWide = "the machine width is 16";

/// Writes how many numbers of 32 bits a vector of this processor has. In a process of the test: the one that starts
/// them uses no OpenCL.
void logMachineWidth(const LaunchedKernel &kernel) {
  size_t width = 0;
  EXPECT_EQ(
      clGetDeviceInfo(kernel.app.device, CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof width, &width, nullptr),
      CL_SUCCESS);
  fprintf(stderr, "the machine width is %zu\n", width);
}

struct Rivals : VariantTest {
  /// Launches the kernel until the log has `end`, for at most `seconds`, and checks each result.
  void launchUntil(const char *end, double seconds) const {
    LaunchedKernel kernel(Source, "prefix");
    kernel.setLocal(1);
    kernel.set(2, Rounds);
    const std::vector<unsigned> expected(LaunchedKernel::Items, expectedSum());
    logMachineWidth(kernel);
    for (const Clock::time_point until = in(seconds); Clock::now() < until && !isLogged(end);) {
      kernel.launch();
      ASSERT_EQ(kernel.results(), expected);
    }
  }
  void run(const char *end, double seconds, const char *variants = "earned", bool compilers = true) {
    runLogged([&] { launchUntil(end, seconds); },
              {{"KILN_VARIANTS", variants}, {"KILN_LOG", "info,program"}, {"KILN_CPU_THREADS", "2"}}, compilers);
  }
};

TEST_F(Rivals, LongRunsTryThem) {
  run(ScalarDecided, 60);
  EXPECT_TRUE(isLogged(ScalarReady)) << errors;
  EXPECT_TRUE(isLogged(ScalarDecided)) << errors;
  const bool isWide = isLogged(IsWide);
  EXPECT_EQ(isLogged(HalfReady), isWide) << errors;
  EXPECT_EQ(isLogged(HalfDecided), isWide) << errors;
  if (isWide)
    EXPECT_LT(errors.find(HalfDecided), errors.find(ScalarReady)) << "one trial after the other: " << errors;
}

TEST_F(Rivals, ShortRunsDoNot) {
  run(ScalarReady, 0.01);
  EXPECT_FALSE(isLogged(HalfReady)) << errors;
  EXPECT_FALSE(isLogged(ScalarReady)) << errors;
}

TEST_F(Rivals, LaterProcessesNeedNoCompiler) {
  run(ScalarDecided, 60);
  ASSERT_TRUE(isLogged(ScalarDecided)) << errors;
  run("nothing", 0.3, "earned", /*compilers=*/false);
  EXPECT_FALSE(isLogged("no variant")) << errors;
}

TEST_F(Rivals, NotWithARepeatableChoice) {
  run(ScalarReady, 0.5, "always");
  EXPECT_FALSE(isLogged(HalfReady)) << errors;
  EXPECT_FALSE(isLogged(ScalarReady)) << errors;
}

} // namespace
} // namespace kiln::test
