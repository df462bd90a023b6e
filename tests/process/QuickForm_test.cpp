// A large program starts in the quick form. A kernel's full form is compiled once launches, or a single long one, have
// taken as long as that will, and later processes take it from the cache (runtime/program/DeviceKernel.h).
#include "tests/process/ProcessTest.h"
#include <chrono>
#include <cstdio>

namespace kiln::test {
namespace {

constexpr unsigned RoundsOfText = 256;
constexpr const char *Ready = "the variant of mix for any values is ready";
constexpr const char *Switched = "kernel mix continues with faster code";

/// A kernel of some thousand operations.
std::string largeSource() {
  return R"(
#define ROUND x = (x ^ (x >> 3)) * 0x9e3779b1u + 7;
#define ROUNDS4(R) R R R R
#define ROUNDS256 ROUNDS4(ROUNDS4(ROUNDS4(ROUNDS4(ROUND))))
kernel void mix(global uint *p, uint times) {
  uint x = get_global_id(0);
  for (uint i = 0; i < times; ++i) { ROUNDS256 }
  p[get_global_id(0)] = x;
}
)";
}

unsigned resultOf(unsigned x, unsigned times) {
  for (unsigned i = 0; i < times * RoundsOfText; ++i)
    x = (x ^ (x >> 3)) * 0x9e3779b1u + 7;
  return x;
}

struct QuickForm : ProcessTest {
  /// Launches the kernel and waits, once and until `seconds` are over or the log has `Ready`. Each launch has the right
  /// results.
  static void launch(double seconds, unsigned times, const std::string &log) {
    App app;
    Program program = app.source(largeSource());
    ASSERT_EQ(app.build(program), CL_SUCCESS) << app.log(program);
    cl_int code = 1;
    Kernel kernel = clCreateKernel(program, "mix", &code);
    ASSERT_EQ(code, CL_SUCCESS);
    std::vector<unsigned> results(1 << 14);
    const size_t items = results.size(), local = 64;
    Mem buffer = clCreateBuffer(app.context, 0, 4 * items, nullptr, &code);
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), buffer.address()), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof times, &times), CL_SUCCESS);
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    do {
      ASSERT_EQ(clEnqueueNDRangeKernel(app.queue, kernel, 1, nullptr, &items, &local, 0, nullptr, nullptr), CL_SUCCESS);
      ASSERT_EQ(clEnqueueReadBuffer(app.queue, buffer, CL_TRUE, 0, 4 * items, results.data(), 0, nullptr, nullptr),
                CL_SUCCESS);
      for (size_t i = 0; i < items; i += 511)
        ASSERT_EQ(results[i], resultOf(unsigned(i), times)) << i;
    } while (std::chrono::steady_clock::now() < until && contentOf(log).find(Ready) == std::string::npos);
  }
  /// Runs `launch` in a new process and keeps what it writes to standard error.
  void run(double seconds, unsigned times, const char *quickForm = "on", bool compilers = true) {
    const std::string log = folder + "/log";
    inNewProcess(
        [&] {
          ASSERT_NE(freopen(log.c_str(), "w", stderr), nullptr);
          if (!compilers) {
            leaveAtOnce();
            refuse(Refusal::AllKills);
          }
          launch(seconds, times, log);
        },
        {{"KILN_VARIANTS", "earned"},
         {"KILN_QUICK_FORM", quickForm},
         {"KILN_LOG", "info,program,device"},
         {"KILN_CPU_THREADS", "2"}});
    errors = contentOf(log);
  }
  bool has(const char *text) const { return errors.find(text) != std::string::npos; }
};

TEST_F(QuickForm, ShortLaunchesEarnNoFullForm) {
  run(0, 1);
  EXPECT_TRUE(has("is in the quick form")) << errors;
  EXPECT_FALSE(has(Ready)) << errors;
}

TEST_F(QuickForm, ManyLaunchesEarnTheFullForm) {
  run(60, 20);
  EXPECT_TRUE(has(Ready)) << errors;
}

TEST_F(QuickForm, ALongLaunchContinuesInTheFullForm) {
  run(0, 1500);
  EXPECT_TRUE(has(Ready)) << errors;
  EXPECT_TRUE(has(Switched)) << errors;
}

TEST_F(QuickForm, LaterProcessesTakeTheFullFormFromTheCache) {
  run(60, 20);
  ASSERT_TRUE(has(Ready)) << errors;
  run(0, 1, "on", /*compilers=*/false);
  EXPECT_TRUE(has(Ready)) << errors;
}

TEST_F(QuickForm, SwitchedOffIsTheFullForm) {
  run(0, 1, "off");
  EXPECT_FALSE(has("is in the quick form")) << errors;
  EXPECT_FALSE(has(Ready)) << errors;
}

} // namespace
} // namespace kiln::test
