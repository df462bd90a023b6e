// The CPU device's threads use all processors of the process, even if the application binds its own threads.
#include "tests/process/ProcessTest.h"
#include <filesystem>
#include <fstream>
#include <sched.h>

namespace kiln::test {
namespace {

struct Affinity : ProcessTest {
  static void bindCallingThread(int processor) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  }
  /// The numbers of processors that each thread of the CPU device may run on.
  static std::vector<int> processorsOfPoolThreads() {
    std::vector<int> counts;
    for (const auto &task : std::filesystem::directory_iterator("/proc/self/task")) {
      std::string name;
      std::getline(std::ifstream(task.path() / "comm"), name);
      cpu_set_t set;
      if (name == "kiln-cpu" && sched_getaffinity(std::stoi(task.path().filename()), sizeof set, &set) == 0)
        counts.push_back(CPU_COUNT(&set));
    }
    return counts;
  }
  static void run(const App &app) {
    Program program = app.source(sourceOf(1));
    ASSERT_EQ(app.build(program), CL_SUCCESS);
    EXPECT_EQ(app.run(program, 1 << 20), resultsOf(1, 1 << 20));
  }
};

// Task schedulers as StarPU bind the thread that launches kernels. The device reported its compute units before.
TEST_F(Affinity, ThreadsDoNotInheritTheLaunchingThreadsProcessor) {
  PROVES("LIM-01");
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  const int processors = CPU_COUNT(&before);
  if (processors < 2)
    GTEST_SKIP() << "the process may use one processor only";
  int first = 0;
  while (!CPU_ISSET(first, &before))
    ++first;
  inNewProcess([=] {
    App app;
    bindCallingThread(first);
    // On a busy machine the launching thread may have done all the work before a pool thread has its name.
    std::vector<int> counts;
    for (int attempt = 0; attempt < 100 && counts.empty(); ++attempt) {
      run(app);
      counts = processorsOfPoolThreads();
    }
    EXPECT_FALSE(counts.empty());
    for (int count : counts)
      EXPECT_EQ(count, processors);
  });
}

TEST_F(Affinity, ProcessWithOneProcessorKeepsToIt) {
  PROVES("LIM-01");
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  int first = 0;
  while (!CPU_ISSET(first, &before))
    ++first;
  inNewProcess([=] {
    bindCallingThread(first);
    App app;
    EXPECT_EQ(query<cl_uint>(clGetDeviceInfo, app.device, CL_DEVICE_MAX_COMPUTE_UNITS), 1u);
    run(app);
    for (int count : processorsOfPoolThreads())
      EXPECT_EQ(count, 1);
  });
}

} // namespace
} // namespace kiln::test
