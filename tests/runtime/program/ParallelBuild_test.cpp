#include "backends/null/NullDevice.h"
#include "runtime/program/ParallelBuild.h"
#include <gtest/gtest.h>
#include <thread>

using namespace kiln;

namespace {
std::vector<ParallelBuild::DeviceBuild> rows(size_t count) {
  static auto &device = *new Ref<DeviceObject>(new DeviceObject(std::make_unique<null::NullDevice>(), 0));
  return std::vector<ParallelBuild::DeviceBuild>(count, {device.get(), {}});
}
} // namespace

// Each device is built once, whatever the result of the others.
TEST(ParallelBuild, EachDeviceOnceAndIndependently) {
  std::atomic<int> calls{0};
  std::vector<ParallelBuild::DeviceBuild> done =
      ParallelBuild::all(rows(20), [&](ParallelBuild &, DeviceObject &, BuildState &state) {
        int mine = calls++;
        if (mine == 7)
          throw std::bad_alloc();
        state.status = mine % 3 ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
        state.log = std::to_string(mine);
      });
  EXPECT_EQ(calls, 20);
  int failed = 0, withLog = 0, withoutMemory = 0;
  for (const ParallelBuild::DeviceBuild &row : done) {
    failed += row.state.status == CL_BUILD_ERROR;
    withLog += !row.state.log.empty();
    withoutMemory += row.state.resourceError == CL_OUT_OF_HOST_MEMORY;
  }
  EXPECT_EQ(failed, 7 + 1);
  EXPECT_EQ(withLog, 19);
  EXPECT_EQ(withoutMemory, 1);
}

// Two steps run at once: each waits for the other.
TEST(ParallelBuild, StepsRunInParallel) {
  std::atomic<int> inside{0};
  ParallelBuild::all(rows(2), [&](ParallelBuild &, DeviceObject &, BuildState &) {
    ++inside;
    for (int i = 0; i < 5000 && inside < 2; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(inside, 2);
  });
}

// More builds than build threads, started on build threads, do not deadlock.
TEST(ParallelBuild, ManyRunsAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> steps{0};
  for (int t = 0; t < 16; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i)
        ParallelBuild::all(rows(5), [&](ParallelBuild &, DeviceObject &, BuildState &) { ++steps; });
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(steps, 16 * 20 * 5);
}
