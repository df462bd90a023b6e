// The CPU driver below the runtime. Kernels are C++ functions with the ABI of compiled ones, so what is tested is how
// they are run.
#include "backends/Registry.h"
#include "backends/cpu/driver/Execute.h"
#include "backends/cpu/driver/Pool.h"
#include "runtime/support/Trace.h"
#include "tests/backends/TestOperation.h"
#include <cfenv>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace kiln {
namespace {

class CpuDriver : public ::testing::Test {
protected:
  void SetUp() override {
    device = std::move(discoverDevices().front());
    stream = std::move(*device->createStream());
  }
  cl_int run(std::function<Status(Stream &)> what) {
    auto operation = TestOperation::submit(*stream, std::move(what));
    operation->help(*stream);
    return operation->code();
  }
  Launch launchOf(cpu::CpuFunction &function, const void *arguments, std::array<uint64_t, 3> global,
                  std::array<uint64_t, 3> local) {
    Launch launch;
    launch.function = &function;
    launch.plan = &plan;
    launch.arguments = arguments;
    launch.workDim = 3;
    launch.globalSize = global;
    launch.localSize = local;
    return launch;
  }
  std::unique_ptr<Device> device;
  std::unique_ptr<Stream> stream;
  Plan plan;
};

/// Counts how often each work-group ran; the argument is the array.
void countGroups(const void *arguments, const abi::LaunchInfo *, uint64_t first, uint64_t end, void *, void *) {
  auto *counts = *static_cast<std::atomic<uint32_t> *const *>(arguments);
  for (uint64_t group = first; group < end; ++group)
    counts[group].fetch_add(1, std::memory_order_relaxed);
}

/// Takes long enough that other threads are worth waking.
void slowGroups(const void *arguments, const abi::LaunchInfo *launch, uint64_t first, uint64_t end, void *local,
                void *items) {
  uint64_t until = nowNanoseconds() + 50'000 * (end - first);
  while (nowNanoseconds() < until) {
  }
  countGroups(arguments, launch, first, end, local, items);
}

} // namespace

// Every group once: with no history, with a history that says "short", and with one that says "long".
TEST_F(CpuDriver, EveryGroupRunsOnce) {
  for (abi::CpuEntry *entry : {countGroups, slowGroups}) {
    cpu::CpuFunction function(entry);
    for (int round = 0; round < 4; ++round) {
      uint64_t groups = entry == slowGroups ? 64 : 10'007;
      std::vector<std::atomic<uint32_t>> counts(groups);
      auto *pointer = counts.data();
      EXPECT_EQ(run([&](Stream &s) {
                  return s.launch(launchOf(function, &pointer, {groups * 8, 1, 1}, {8, 1, 1}));
                }),
                CL_SUCCESS);
      for (uint64_t i = 0; i < groups; ++i)
        ASSERT_EQ(counts[i], 1u) << "group " << i << " in round " << round;
    }
  }
}

// A kernel known as short that turns out long is shared with others half-way, and still every group runs once.
TEST_F(CpuDriver, ShortLaunchThatTurnsOutLong) {
  cpu::CpuFunction function(slowGroups);
  function.nanosecondsPerItem = 0.001f;
  std::vector<std::atomic<uint32_t>> counts(64);
  auto *pointer = counts.data();
  EXPECT_EQ(run([&](Stream &s) { return s.launch(launchOf(function, &pointer, {64, 1, 1}, {1, 1, 1})); }), CL_SUCCESS);
  for (auto &count : counts)
    EXPECT_EQ(count, 1u);
}

TEST_F(CpuDriver, LaunchInfoSaysTheSizes) {
  static abi::LaunchInfo seen;
  cpu::CpuFunction function([](const void *, const abi::LaunchInfo *launch, uint64_t first, uint64_t end, void *,
                               void *) { seen = *launch; });
  function.nanosecondsPerItem = 1e-6f; // so that all groups come in few calls
  Launch launch = launchOf(function, nullptr, {10, 3, 1}, {4, 3, 1});
  launch.globalOffset = {5, 6, 7};
  launch.workDim = 2;
  EXPECT_EQ(run([&](Stream &s) { return s.launch(launch); }), CL_SUCCESS);
  EXPECT_EQ(seen.numGroups[0], 3u) << "the last group is smaller";
  EXPECT_EQ(seen.numGroups[1], 1u);
  EXPECT_EQ(seen.globalOffset[2], 7u);
  EXPECT_EQ(seen.localSize[0], 4u);
  EXPECT_EQ(seen.workDim, 2u);
  EXPECT_EQ(seen.services, &cpu::services());
}

// Local memory and the items area are large enough, aligned, and no other thread's.
TEST_F(CpuDriver, ArenasAreWritableAndAligned) {
  static std::atomic<int> wrong;
  wrong = 0;
  plan.itemBytes = 100;
  plan.threadBytes = 33;
  cpu::CpuFunction function(
      [](const void *, const abi::LaunchInfo *, uint64_t first, uint64_t end, void *local, void *items) {
        if (uintptr_t(local) % abi::LocalAlignment || uintptr_t(items) % abi::LocalAlignment)
          ++wrong;
        for (uint64_t group = first; group < end; ++group) {
          std::memset(local, int(group & 0xff), 3000);
          std::memset(items, int(group & 0xff), 64 * 100 + 33);
          for (int i = 0; i < 3000; ++i)
            wrong += static_cast<uint8_t *>(local)[i] != (group & 0xff);
        }
      });
  Launch launch = launchOf(function, nullptr, {512 * 5, 1, 1}, {5, 1, 1});
  launch.localBytes = 3000;
  for (int round = 0; round < 3; ++round)
    EXPECT_EQ(run([&](Stream &s) { return s.launch(launch); }), CL_SUCCESS);
  EXPECT_EQ(wrong, 0);
}

TEST_F(CpuDriver, WorkGroupTooLargeForMemoryIsAnError) {
  plan.itemBytes = UINT64_MAX / 8;
  cpu::CpuFunction function(countGroups);
  EXPECT_EQ(run([&](Stream &s) {
              return s.launch(launchOf(function, nullptr, {64, 1, 1}, {64, 1, 1}));
            }),
            CL_OUT_OF_RESOURCES);
}

// A lane is in order, whoever runs it: waiting threads, the pool, or both in turns.
TEST_F(CpuDriver, StreamKeepsOrder) {
  constexpr int Count = 2000;
  std::vector<int> order;
  std::vector<std::shared_ptr<TestOperation>> operations;
  for (int i = 0; i < Count; ++i) {
    operations.push_back(TestOperation::submit(*stream, [&order, i](Stream &) -> Status {
      order.push_back(i);
      return {};
    }));
    if (i % 100 == 0)
      stream->flush();
    if (i % 250 == 0)
      operations[size_t(i)]->help(*stream);
  }
  operations.back()->help(*stream);
  std::vector<int> expected(Count);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
}

TEST_F(CpuDriver, FlushRunsWithoutAnyoneWaiting) {
  auto operation = TestOperation::submit(*stream, [](Stream &) -> Status { return {}; });
  stream->flush();
  operation->sleep();
  EXPECT_EQ(operation->code(), CL_SUCCESS);
}

// Threads of the application keep their rounding mode, and kernels do not see it.
TEST_F(CpuDriver, RoundingModeIsTheKernelsOwn) {
  static double third;
  static volatile double one = 1, three = 3;
  cpu::CpuFunction function(
      [](const void *, const abi::LaunchInfo *, uint64_t, uint64_t, void *, void *) { third = one / three; });
  run([&](Stream &s) { return s.launch(launchOf(function, nullptr, {1, 1, 1}, {1, 1, 1})); });
  double nearest = third;
  std::fesetround(FE_UPWARD);
  run([&](Stream &s) { return s.launch(launchOf(function, nullptr, {1, 1, 1}, {1, 1, 1})); });
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(third, nearest);
}

// The child has none of the parent's threads and must not wait for them.
TEST_F(CpuDriver, ChildOfForkHasAPoolOfItsOwn) {
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "ThreadSanitizer starts no threads in the child of a process that had several";
#endif
  cpu::CpuFunction function(slowGroups);
  std::vector<std::atomic<uint32_t>> counts(32);
  auto *pointer = counts.data();
  auto launch = [&](Stream &s) { return s.launch(launchOf(function, &pointer, {32, 1, 1}, {1, 1, 1})); };
  ASSERT_EQ(run(launch), CL_SUCCESS); // the parent's threads are there
  pid_t child = fork();
  if (child == 0) {
    alarm(20); // a hang is a failure, not the suite's
    auto operation = TestOperation::submit(*stream, launch);
    stream->flush();
    operation->sleep();
    _exit(operation->code() == CL_SUCCESS && counts[0] == 2 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST_F(CpuDriver, ManyStreamsAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      std::unique_ptr<Stream> own = std::move(*device->createStream());
      cpu::CpuFunction function(countGroups);
      for (int i = 0; i < 200; ++i) {
        std::vector<std::atomic<uint32_t>> counts(257);
        auto *pointer = counts.data();
        auto operation = TestOperation::submit(*own, [&](Stream &s) {
          return s.launch(launchOf(function, &pointer, {257, 1, 1}, {1, 1, 1}));
        });
        if (i % 2)
          own->flush();
        operation->help(*own);
        for (auto &count : counts)
          wrong += count != 1;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

namespace {
Region at(std::vector<uint8_t> &bytes, size_t offset, std::array<size_t, 3> extent, size_t row, size_t slice) {
  Region region;
  region.host = reinterpret_cast<std::byte *>(bytes.data());
  region.offset = offset;
  region.extent = extent;
  region.rowPitch = row;
  region.slicePitch = slice;
  return region;
}
} // namespace

// Boxes of every flatness: the rows of a slice touch or not, the slices touch or not.
TEST_F(CpuDriver, CopiesBoxes) {
  for (size_t rowPad : {0, 3})
    for (size_t slicePad : {0, 7}) {
      std::array<size_t, 3> extent{5, 4, 3};
      size_t row = extent[0] + rowPad, slice = row * extent[1] + slicePad;
      std::vector<uint8_t> from(slice * extent[2] + 64), to(5 * 4 * 3 + 64, 0xee);
      std::iota(from.begin(), from.end(), uint8_t(1));
      EXPECT_EQ(run([&](Stream &s) { return s.copy(at(to, 2, extent, 5, 20), at(from, 11, extent, row, slice)); }),
                CL_SUCCESS);
      for (size_t z = 0; z < 3; ++z)
        for (size_t y = 0; y < 4; ++y)
          for (size_t x = 0; x < 5; ++x)
            ASSERT_EQ(to[2 + x + 5 * y + 20 * z], from[11 + x + row * y + slice * z]);
      EXPECT_EQ(to[1], 0xee);
      EXPECT_EQ(to[2 + 60], 0xee);
    }
}

// Large enough to be divided among threads, with an end that is no multiple of anything.
TEST_F(CpuDriver, CopiesAndFillsLargeRanges) {
  size_t size = (9 << 20) + 13;
  std::vector<uint8_t> from(size), to(size + 1, 0xee);
  for (size_t i = 0; i < size; ++i)
    from[i] = uint8_t(i * 7 + (i >> 8));
  run([&](Stream &s) { return s.copy(at(to, 0, {size, 1, 1}, size, size), at(from, 0, {size, 1, 1}, size, size)); });
  EXPECT_EQ(std::memcmp(to.data(), from.data(), size), 0);
  EXPECT_EQ(to[size], 0xee);
  for (size_t pattern : {1, 2, 4, 8, 16, 32, 64, 128}) {
    std::vector<std::byte> bytes(pattern);
    for (size_t i = 0; i < pattern; ++i)
      bytes[i] = std::byte(i + pattern);
    for (size_t count : {size_t(1), size_t(37), size / pattern}) {
      size_t length = count * pattern;
      std::fill(to.begin(), to.end(), 0xee);
      run([&](Stream &s) { return s.fill(at(to, 0, {length, 1, 1}, length, length), bytes); });
      for (size_t i = 0; i < length; ++i)
        ASSERT_EQ(to[i], uint8_t(i % pattern + pattern)) << "pattern " << pattern << " byte " << i;
      ASSERT_EQ(to[length], 0xee);
    }
  }
}

// Called through the table, as a kernel would.
TEST_F(CpuDriver, ServicesAreTheirNamesakes) {
  const auto &math = cpu::services().math;
  auto f32 = [&](abi::Math f) { return reinterpret_cast<float (*)(float)>(const_cast<void *>(math[size_t(f)])); };
  auto f64 = [&](abi::Math f) { return reinterpret_cast<double (*)(double)>(const_cast<void *>(math[size_t(f)])); };
  EXPECT_EQ(f32(abi::Math::sin_f32)(0.5f), std::sin(0.5f));
  EXPECT_EQ(f64(abi::Math::sin_f64)(0.5), std::sin(0.5));
  EXPECT_DOUBLE_EQ(f64(abi::Math::exp10_f64)(3), 1000);
  for (const void *entry : math)
    EXPECT_NE(entry, nullptr);
}

} // namespace kiln
