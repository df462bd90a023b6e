// A large program starts in the quick form. A kernel's full form is compiled once launches, or a single long one, have
// taken as long as that will, and later processes take it from the cache (runtime/program/DeviceKernel.h).
#include "tests/process/VariantTest.h"
#include <fstream>
#include <thread>

namespace kiln::test {
namespace {

constexpr unsigned RoundsOfText = 1024;
constexpr const char *Ready = "the variant of mix for any values is ready";
constexpr const char *Switched = "kernel mix continues with faster code";

constexpr const char *IsQuick = "is in the quick form";

/// A kernel of four operations for each round of its text.
std::string sourceOf(const char *rounds, unsigned seed = 0) {
  return "#define SEED " + std::to_string(seed) + "\n#define ROUNDS " + rounds + R"(
#define ROUND x = (x ^ (x >> 3)) * 0x9e3779b1u + 7;
#define ROUNDS4(R) R R R R
#define ROUNDS256 ROUNDS4(ROUNDS4(ROUNDS4(ROUNDS4(ROUND))))
#define ROUNDS1024 ROUNDS4(ROUNDS256)
kernel void mix(global uint *p, uint times) {
  uint x = get_global_id(0) + SEED;
  for (uint i = 0; i < times; ++i) { ROUNDS }
  p[get_global_id(0)] = x;
}
)";
}

std::string largeSource() { return sourceOf("ROUNDS1024"); }

unsigned resultOf(unsigned x, unsigned times) {
  for (unsigned i = 0; i < times * RoundsOfText; ++i)
    x = (x ^ (x >> 3)) * 0x9e3779b1u + 7;
  return x;
}

struct QuickForm : VariantTest {
  /// Launches the kernel and waits, once and until `seconds` are over or the log has `Ready`. Each launch has the right
  /// results.
  void launchFor(double seconds, unsigned times) const {
    const LaunchedKernel kernel(largeSource(), "mix");
    launchFor(kernel, seconds, times);
  }
  void launchFor(const LaunchedKernel &kernel, double seconds, unsigned times) const {
    kernel.set(1, times);
    const Clock::time_point end = in(seconds);
    do {
      kernel.launch();
      const std::vector<unsigned> results = kernel.results();
      for (size_t i = 0; i < results.size(); i += 511)
        ASSERT_EQ(results[i], resultOf(unsigned(i), times)) << i;
    } while (Clock::now() < end && !isLogged(Ready));
  }
  void run(double seconds, unsigned times, const char *quickForm = "on", bool compilers = true) {
    run([&] { launchFor(seconds, times); }, quickForm, compilers);
  }
  void run(const std::function<void()> &situation, const char *quickForm = "on", bool compilers = true) {
    runLogged(situation,
              {{"KILN_VARIANTS", "earned"},
               {"KILN_QUICK_FORM", quickForm},
               {"KILN_LOG", "info,program,device"},
               {"KILN_CPU_THREADS", "2"}},
              compilers);
  }
};

TEST_F(QuickForm, ShortLaunchesEarnNoFullForm) {
  run(0, 1);
  EXPECT_TRUE(isLogged(IsQuick)) << errors;
  EXPECT_FALSE(isLogged(Ready)) << errors;
}

TEST_F(QuickForm, ManyLaunchesEarnTheFullForm) {
  run(60, 20);
  EXPECT_TRUE(isLogged(Ready)) << errors;
}

TEST_F(QuickForm, ALongLaunchContinuesInTheFullForm) {
  run(0, 1500);
  EXPECT_TRUE(isLogged(Ready)) << errors;
  EXPECT_TRUE(isLogged(Switched)) << errors;
}

TEST_F(QuickForm, LaterProcessesTakeTheFullFormFromTheCache) {
  run(60, 20);
  ASSERT_TRUE(isLogged(Ready)) << errors;
  run(0, 1, "on", /*compilers=*/false);
  EXPECT_TRUE(isLogged(Ready)) << errors;
}

TEST_F(QuickForm, LaunchesOfManyProcessesEarnTheFullForm) {
  int processes = 0;
  do
    run([&] {
      launchFor(0, 4);
      std::this_thread::sleep_for(std::chrono::milliseconds(50)); // what has been spent is written in the background
    });
  while (++processes < 64 && !isLogged(Ready));
  EXPECT_TRUE(isLogged(Ready)) << errors;
  EXPECT_GT(processes, 1);
}

TEST_F(QuickForm, ABinaryFindsWhatItsKernelsHaveEarned) {
  const std::string file = folder + "/binary";
  run([&] {
    const LaunchedKernel kernel(largeSource(), "mix");
    const std::vector<unsigned char> binary = kernel.binary();
    std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char *>(binary.data()), binary.size());
    launchFor(kernel, 60, 20);
  });
  ASSERT_TRUE(isLogged(Ready)) << errors;
  const std::string binary = contentOf(file);
  run([&] { launchFor(LaunchedKernel(std::vector<unsigned char>(binary.begin(), binary.end()), "mix"), 0, 1); }, "on",
      /*compilers=*/false);
  EXPECT_TRUE(isLogged(Ready)) << errors;
}

TEST_F(QuickForm, AMediumProgramIsInTheFullForm) {
  run([] { const LaunchedKernel kernel(sourceOf("ROUNDS256"), "mix"); });
  EXPECT_FALSE(isLogged(IsQuick)) << errors;
}

TEST_F(QuickForm, ProgramsOfAProcessThatHasCompiledMuchAreInTheQuickForm) {
  run([&] {
    unsigned programs = 0;
    for (; programs < 64 && !isLogged(IsQuick); ++programs)
      const LaunchedKernel kernel(sourceOf("ROUNDS256", programs), "mix");
    EXPECT_GT(programs, 2u); // the first two take less than a second
  });
  EXPECT_TRUE(isLogged(IsQuick)) << errors;
}

TEST_F(QuickForm, SwitchedOffIsTheFullForm) {
  run(0, 1, "off");
  EXPECT_FALSE(isLogged(IsQuick)) << errors;
  EXPECT_FALSE(isLogged(Ready)) << errors;
}

} // namespace
} // namespace kiln::test
