// A kernel that runs long gets the scalar form of its code on trial (runtime/program/DeviceKernel.h). Which form wins
// depends on the processor; launches have the right results before, during and after the trial.
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
constexpr const char *Ready = "local size 64x1x1, scalar is ready";
constexpr const char *Decided = "local size 64x1x1, scalar takes ";

unsigned expectedSum() {
  unsigned sum = 0;
  for (unsigned round = 0; round < Rounds; ++round)
    sum += Size * (Size - 1) / 2 + Size * round;
  return sum;
}

struct ScalarForm : VariantTest {
  /// Launches the kernel until the log has `end`, for at most `seconds`, and checks each result.
  void launchUntil(const char *end, double seconds) const {
    LaunchedKernel kernel(Source, "prefix");
    kernel.setLocal(1);
    kernel.set(2, Rounds);
    const std::vector<unsigned> expected(LaunchedKernel::Items, expectedSum());
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

TEST_F(ScalarForm, LongRunsTryIt) {
  run(Decided, 60);
  EXPECT_TRUE(isLogged(Ready)) << errors;
  EXPECT_TRUE(isLogged(Decided)) << errors;
}

TEST_F(ScalarForm, ShortRunsDoNot) {
  run(Ready, 0.01);
  EXPECT_FALSE(isLogged(Ready)) << errors;
}

TEST_F(ScalarForm, LaterProcessesNeedNoCompiler) {
  run(Decided, 60);
  ASSERT_TRUE(isLogged(Decided)) << errors;
  run("nothing", 0.3, "earned", /*compilers=*/false);
  EXPECT_FALSE(isLogged("no variant")) << errors;
}

TEST_F(ScalarForm, NotWithARepeatableChoice) {
  run(Ready, 0.5, "always");
  EXPECT_FALSE(isLogged(Ready)) << errors;
}

} // namespace
} // namespace kiln::test
