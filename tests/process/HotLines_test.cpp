// KILN_HOT_LINES says how long a kernel took, also if each launch ends before the next tick of Linux's clock, at which
// samples are taken (backends/cpu/driver/Sampler).
#include "tests/process/VariantTest.h"
#include <fstream>
#include <sys/resource.h>

namespace kiln::test {
namespace {

constexpr const char *Busy = "kernel void busy(global uint *p) {\n"
                             "  uint x = p[get_global_id(0)];\n"
                             "  for (uint i = 0; i < 4000; ++i) x = x * x + i;\n"
                             "  p[get_global_id(0)] = x;\n}\n";

double processorMilliseconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  auto milliseconds = [](const timeval &time) { return double(time.tv_sec) * 1e3 + double(time.tv_usec) / 1e3; };
  return milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
}

struct HotLines : ProcessTest {};

TEST_F(HotLines, ShortLaunchesCountInFull) {
  PROVES("X-E35");
  inNewProcessWithErrors(
      [&] {
        const LaunchedKernel kernel(Busy, "busy");
        kernel.launch();
        (void)kernel.results();
        const double before = processorMilliseconds();
        for (int i = 0; i < 2000 && processorMilliseconds() < before + 400; ++i) {
          kernel.launch();
          (void)kernel.results();
        }
        std::ofstream(folder + "/milliseconds") << processorMilliseconds() - before;
      },
      {{"KILN_DEVICES", "cpu"},
       {"KILN_CPU_THREADS", "1"},
       {"KILN_VARIANTS", "off"},
       {"KILN_HOT_LINES", folder + "/lines"}});
  const double all = std::stod(contentOf(folder + "/milliseconds"));
  const std::string lines = contentOf(folder + "/lines"), begin = "kernel busy: ";
  ASSERT_EQ(lines.substr(0, begin.size()), begin) << lines;
  const double sampled = std::stod(lines.substr(begin.size()));
  EXPECT_GT(sampled, 0.5 * all) << lines; // the rest is in launches, and in threads that wait
  EXPECT_LT(sampled, 1.1 * all + 20) << lines;
}

} // namespace
} // namespace kiln::test
