// The CPU driver below the runtime. Kernels are C++ functions with the ABI of compiled ones.
#include "backends/Registry.h"
#include "backends/cpu/driver/Copy.h"
#include "backends/cpu/driver/CpuLaunch.h"
#include "backends/cpu/driver/Topology.h"
#include "base/support/Trace.h"
#include "tests/backends/TestOperation.h"
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <ctime>
#include <fstream>
#include <gtest/gtest.h>
#include <mutex>
#include <numeric>
#include <set>
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
  cl_int run(std::function<Status(Issuer &)> what) {
    auto operation = TestOperation::submit(*stream, std::move(what));
    operation->progressUntil(*stream);
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
  KernelPlan plan;
};

/// Counts how often each work-group ran; the argument is the array.
void countGroups(const void *arguments, const abi::CpuLaunch *, uint64_t first, uint64_t end, void *, void *) {
  auto *counts = *static_cast<std::atomic<uint32_t> *const *>(arguments);
  for (uint64_t group = first; group < end; ++group)
    counts[group].fetch_add(1, std::memory_order_relaxed);
}

/// Runs long enough that waking other threads pays.
void slowGroups(const void *arguments, const abi::CpuLaunch *launch, uint64_t first, uint64_t end, void *local,
                void *items) {
  uint64_t until = nowNanoseconds() + 50'000 * (end - first);
  while (nowNanoseconds() < until) {
  }
  countGroups(arguments, launch, first, end, local, items);
}

} // namespace

// Every group runs once: without a history, with a history of short launches, and of long ones.
TEST_F(CpuDriver, EveryGroupRunsOnce) {
  for (abi::CpuEntry *entry : {countGroups, slowGroups}) {
    cpu::CpuFunction function(entry);
    for (int round = 0; round < 4; ++round) {
      uint64_t groups = entry == slowGroups ? 64 : 10'007;
      std::vector<std::atomic<uint32_t>> counts(groups);
      auto *pointer = counts.data();
      EXPECT_EQ(run([&](Issuer &s) { return s.launch(launchOf(function, &pointer, {groups * 8, 1, 1}, {8, 1, 1})); }),
                CL_SUCCESS);
      for (uint64_t i = 0; i < groups; ++i)
        ASSERT_EQ(counts[i], 1u) << "group " << i << " in round " << round;
    }
  }
}

// A launch with a short estimate that takes long is divided halfway, and still every group runs once.
TEST_F(CpuDriver, ShortLaunchThatTurnsOutLong) {
  cpu::CpuFunction function(slowGroups);
  function.nanosecondsPerItem = 0.001f;
  std::vector<std::atomic<uint32_t>> counts(64);
  auto *pointer = counts.data();
  EXPECT_EQ(run([&](Issuer &s) { return s.launch(launchOf(function, &pointer, {64, 1, 1}, {1, 1, 1})); }), CL_SUCCESS);
  for (auto &count : counts)
    EXPECT_EQ(count, 1u);
}

TEST_F(CpuDriver, CpuLaunchHasTheSizes) {
  static abi::CpuLaunch seen;
  cpu::CpuFunction function(
      [](const void *, const abi::CpuLaunch *launch, uint64_t first, uint64_t end, void *, void *) { seen = *launch; });
  function.nanosecondsPerItem = 1e-6f; // so that all groups run in few calls
  Launch launch = launchOf(function, nullptr, {10, 3, 1}, {4, 3, 1});
  launch.globalOffset = {5, 6, 7};
  launch.workDim = 2;
  EXPECT_EQ(run([&](Issuer &s) { return s.launch(launch); }), CL_SUCCESS);
  EXPECT_EQ(seen.numGroups[0], 3u) << "the last group is smaller";
  EXPECT_EQ(seen.numGroups[1], 1u);
  EXPECT_EQ(seen.globalOffset[2], 7u);
  EXPECT_EQ(seen.localSize[0], 4u);
  EXPECT_EQ(seen.workDim, 2u);
}

// Local memory and the items area are large enough, aligned, and private to the thread.
TEST_F(CpuDriver, ArenasAreWritableAndAligned) {
  static std::atomic<int> wrong;
  wrong = 0;
  plan.itemBytes = 100;
  plan.threadBytes = 33;
  cpu::CpuFunction function(
      [](const void *, const abi::CpuLaunch *, uint64_t first, uint64_t end, void *local, void *items) {
        if (uintptr_t(local) % abi::LocalAlignment || uintptr_t(items) % abi::LocalAlignment)
          ++wrong;
        for (uint64_t group = first; group < end; ++group) {
          std::memset(local, int(group & 0xff), 3000);
          std::memset(items, int(group & 0xff), 64 * 100 + 33);
          for (int i = 0; i < 3000; ++i)
            wrong += static_cast<uint8_t *>(local)[i] != (group & 0xff);
        }
      });
  Launch launch = launchOf(function, nullptr, {uint64_t(512) * 5, 1, 1}, {5, 1, 1});
  launch.localBytes = 3000;
  for (int round = 0; round < 3; ++round)
    EXPECT_EQ(run([&](Issuer &s) { return s.launch(launch); }), CL_SUCCESS);
  EXPECT_EQ(wrong, 0);
}

TEST_F(CpuDriver, WorkGroupTooLargeForMemoryIsAnError) {
  plan.itemBytes = UINT64_MAX / 8;
  cpu::CpuFunction function(countGroups);
  EXPECT_EQ(run([&](Issuer &s) { return s.launch(launchOf(function, nullptr, {64, 1, 1}, {64, 1, 1})); }),
            CL_OUT_OF_RESOURCES);
}

// A stream is in order on any thread: waiting threads, the pool, or both in turns.
TEST_F(CpuDriver, StreamKeepsOrder) {
  constexpr int Count = 2000;
  std::vector<int> order;
  std::vector<std::shared_ptr<TestOperation>> operations;
  for (int i = 0; i < Count; ++i) {
    operations.push_back(TestOperation::submit(*stream, [&order, i](Issuer &) -> Status {
      order.push_back(i);
      return {};
    }));
    if (i % 100 == 0)
      stream->flush();
    if (i % 250 == 0)
      operations[size_t(i)]->progressUntil(*stream);
  }
  operations.back()->progressUntil(*stream);
  std::vector<int> expected(Count);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
}

TEST_F(CpuDriver, FlushRunsWithoutAWaitingThread) {
  auto operation = TestOperation::submit(*stream, [](Issuer &) -> Status { return {}; });
  stream->flush();
  operation->sleep();
  EXPECT_EQ(operation->code(), CL_SUCCESS);
}

// A pool thread that has run a stream waits for more operations, for a short time: they run in order, flushed or not,
// and then no thread uses a processor.
TEST_F(CpuDriver, ShortOperationsAreFlushedOneByOne) {
  constexpr int Count = 3000;
  std::vector<int> order;
  std::shared_ptr<TestOperation> last;
  for (int i = 0; i < Count; ++i) {
    last = TestOperation::submit(*stream, [&order, i](Issuer &) -> Status {
      order.push_back(i);
      return {};
    });
    stream->flush();
    if (i % 300 == 0)
      last->sleep();
  }
  last->sleep();
  std::vector<int> expected(Count);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const std::clock_t before = std::clock(); // of the process
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_LT(double(std::clock() - before) / CLOCKS_PER_SEC, 0.005);
}

// The application's threads keep their rounding mode, and kernels do not use it.
TEST_F(CpuDriver, RoundingModeIsTheKernelsOwn) {
  static double third;
  static volatile double one = 1, three = 3;
  cpu::CpuFunction function(
      [](const void *, const abi::CpuLaunch *, uint64_t, uint64_t, void *, void *) { third = one / three; });
  run([&](Issuer &s) { return s.launch(launchOf(function, nullptr, {1, 1, 1}, {1, 1, 1})); });
  double nearest = third;
  std::fesetround(FE_UPWARD);
  run([&](Issuer &s) { return s.launch(launchOf(function, nullptr, {1, 1, 1}, {1, 1, 1})); });
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
  auto launch = [&](Issuer &s) { return s.launch(launchOf(function, &pointer, {32, 1, 1}, {1, 1, 1})); };
  ASSERT_EQ(run(launch), CL_SUCCESS); // starts the parent's threads
  pid_t child = fork();
  if (child == 0) {
    alarm(20); // ends a hanging child
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
        auto operation = TestOperation::submit(
            *own, [&](Issuer &s) { return s.launch(launchOf(function, &pointer, {257, 1, 1}, {1, 1, 1})); });
        if (i % 2)
          own->flush();
        operation->progressUntil(*own);
        for (auto &count : counts)
          wrong += count != 1;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

namespace {

/// The threads that groups ran on, and the processors that those may use. Each group takes long enough that waking
/// other threads pays.
struct Where {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::set<unsigned> processors;
};
void noteWhere(const void *arguments, const abi::CpuLaunch *, uint64_t first, uint64_t end, void *, void *) {
  auto &where = **static_cast<Where *const *>(arguments);
  {
    std::lock_guard lock(where.mutex);
    where.threads.insert(std::this_thread::get_id());
    for (unsigned processor : cpu::allowedProcessors())
      where.processors.insert(processor);
  }
  uint64_t until = nowNanoseconds() + 200'000 * (end - first);
  while (nowNanoseconds() < until) {
  }
}

} // namespace

// With any waiting thread and any number of streams, a sub-device's work runs on as many threads as it has units, none
// of them the waiting one.
TEST_F(CpuDriver, SubDevicesUseTheirOwnThreads) {
  for (size_t units : {1, 3}) {
    std::unique_ptr<Device> part = std::move(*device->createSubDevice(std::vector<unsigned>(units, 0), false));
    EXPECT_EQ(part->info().computeUnits, units);
    std::unique_ptr<Stream> streams[] = {std::move(*part->createStream()), std::move(*part->createStream())};
    cpu::CpuFunction function(noteWhere);
    Where where;
    Where *pointer = &where;
    for (int round = 0; round < 3; ++round) {
      std::shared_ptr<TestOperation> operations[2];
      for (int i = 0; i < 2; ++i) {
        operations[i] = TestOperation::submit(
            *streams[i], [&](Issuer &s) { return s.launch(launchOf(function, &pointer, {32, 1, 1}, {1, 1, 1})); });
        streams[i]->flush();
      }
      for (int i = 0; i < 2; ++i) {
        operations[i]->progressUntil(*streams[i]);
        operations[i]->sleep();
        EXPECT_EQ(operations[i]->code(), CL_SUCCESS);
      }
    }
    EXPECT_LE(where.threads.size(), units);
    EXPECT_FALSE(where.threads.contains(std::this_thread::get_id()));
    EXPECT_EQ(where.processors.size(), cpu::allowedProcessors().size()) << "by number only";
  }
}

// A sub-device by affinity runs on its units' processors, and so do its own sub-devices of any kind.
TEST_F(CpuDriver, BoundSubDevicesStayOnTheirProcessors) {
  const std::vector<unsigned> allowed = cpu::allowedProcessors();
  if (allowed.size() < 2 || device->info().computeUnits < 2)
    GTEST_SKIP() << "one processor";
  std::unique_ptr<Device> part = std::move(*device->createSubDevice({1}, true));
  std::unique_ptr<Device> partOfPart = std::move(*part->createSubDevice({0}, false));
  for (Device *one : {part.get(), partOfPart.get()}) {
    std::unique_ptr<Stream> stream = std::move(*one->createStream());
    cpu::CpuFunction function(noteWhere);
    Where where;
    Where *pointer = &where;
    auto operation = TestOperation::submit(
        *stream, [&](Issuer &s) { return s.launch(launchOf(function, &pointer, {8, 1, 1}, {1, 1, 1})); });
    stream->flush();
    operation->sleep();
    EXPECT_EQ(where.processors, std::set<unsigned>{allowed[1]});
  }
}

// Large copies, which are divided, stay there too: they complete without other threads.
TEST_F(CpuDriver, SubDevicesCopyAndFill) {
  std::unique_ptr<Device> part = std::move(*device->createSubDevice({0}, false));
  std::unique_ptr<Stream> stream = std::move(*part->createStream());
  std::vector<uint8_t> from(8 << 20, 7), to(8 << 20);
  auto operation = TestOperation::submit(*stream, [&](Issuer &s) -> Status {
    Region source, target;
    source.host = reinterpret_cast<std::byte *>(from.data());
    target.host = reinterpret_cast<std::byte *>(to.data());
    source.extent = target.extent = {from.size(), 1, 1};
    return s.copy(target, source);
  });
  stream->flush();
  operation->sleep();
  EXPECT_EQ(from, to);
}

// A device is destroyed while its last operation ends, on one of its own threads.
TEST_F(CpuDriver, SubDevicesAreDestroyedAndRecreated) {
  for (int i = 0; i < 200; ++i) {
    std::unique_ptr<Device> part = std::move(*device->createSubDevice({0}, false));
    std::unique_ptr<Stream> stream = std::move(*part->createStream());
    auto operation = TestOperation::submit(*stream, [](Issuer &) -> Status { return {}; });
    stream->flush();
    if (i % 2)
      operation->sleep();
    stream.reset();
    part.reset();
    operation->sleep();
  }
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("Threads:")) {
      EXPECT_LT(std::stoi(line.substr(8)), 100) << "threads of destroyed sub-devices";
    }
}

TEST_F(CpuDriver, ChildOfForkHasThreadsForSubDevices) {
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "ThreadSanitizer starts no threads in the child of a process that had several";
#endif
  std::unique_ptr<Device> part = std::move(*device->createSubDevice({0}, false));
  std::unique_ptr<Stream> stream = std::move(*part->createStream());
  TestOperation::submit(*stream, [](Issuer &) -> Status { return {}; })->progressUntil(*stream);
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    auto operation = TestOperation::submit(*stream, [](Issuer &) -> Status { return {}; });
    stream->flush();
    operation->sleep();
    _exit(operation->code() == CL_SUCCESS ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// After one busy thread, streams are run in the order of their priority, then of their submission.
TEST_F(CpuDriver, UrgentStreamsGoFirst) {
  std::unique_ptr<Device> part = std::move(*device->createSubDevice({0}, false));
  std::unique_ptr<Stream> busy = std::move(*part->createStream());
  std::atomic<bool> go{false};
  auto first = TestOperation::submit(*busy, [&](Issuer &) -> Status {
    while (!go)
      std::this_thread::yield();
    return {};
  });
  busy->flush();
  std::vector<std::unique_ptr<Stream>> streams;
  std::vector<std::shared_ptr<TestOperation>> operations;
  std::vector<int> order;
  const HintLevel priorities[] = {HintLevel::Low, HintLevel::Medium, HintLevel::High, HintLevel::Medium,
                                  HintLevel::High};
  for (int i = 0; i < 5; ++i) {
    streams.push_back(std::move(*part->createStream({.priority = priorities[i]})));
    operations.push_back(TestOperation::submit(*streams.back(), [&order, i](Issuer &) -> Status {
      order.push_back(i);
      return {};
    }));
    streams.back()->flush();
  }
  go = true;
  for (auto &operation : operations)
    operation->sleep();
  EXPECT_EQ(order, (std::vector<int>{2, 4, 1, 3, 0}));
}

// A throttled stream uses half of the threads.
TEST_F(CpuDriver, ThrottledStreamsTakeFewerThreads) {
  std::unique_ptr<Device> part = std::move(*device->createSubDevice({0, 0, 0, 0}, false));
  std::unique_ptr<Stream> stream = std::move(*part->createStream({.throttle = HintLevel::Low}));
  cpu::CpuFunction function(noteWhere);
  for (int round = 0; round < 4; ++round) {
    Where where;
    Where *pointer = &where;
    auto operation = TestOperation::submit(
        *stream, [&](Issuer &s) { return s.launch(launchOf(function, &pointer, {64, 1, 1}, {1, 1, 1})); });
    stream->flush();
    operation->sleep();
    EXPECT_LE(where.threads.size(), 2u);
  }
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

// Boxes of every kind: with and without gaps between rows, and between slices.
TEST_F(CpuDriver, CopiesBoxes) {
  for (size_t rowPad : {0, 3})
    for (size_t slicePad : {0, 7}) {
      std::array<size_t, 3> extent{5, 4, 3};
      size_t row = extent[0] + rowPad, slice = row * extent[1] + slicePad;
      std::vector<uint8_t> from(slice * extent[2] + 64), to(5 * 4 * 3 + 64, 0xee);
      std::iota(from.begin(), from.end(), uint8_t(1));
      EXPECT_EQ(run([&](Issuer &s) { return s.copy(at(to, 2, extent, 5, 20), at(from, 11, extent, row, slice)); }),
                CL_SUCCESS);
      for (size_t z = 0; z < 3; ++z)
        for (size_t y = 0; y < 4; ++y)
          for (size_t x = 0; x < 5; ++x)
            ASSERT_EQ(to[2 + x + 5 * y + 20 * z], from[11 + x + row * y + slice * z]);
      EXPECT_EQ(to[1], 0xee);
      EXPECT_EQ(to[2 + 60], 0xee);
    }
}

// Large enough to be divided among threads, with an odd size.
TEST_F(CpuDriver, CopiesAndFillsLargeRanges) {
  size_t size = (9 << 20) + 13;
  std::vector<uint8_t> from(size), to(size + 1, 0xee);
  for (size_t i = 0; i < size; ++i)
    from[i] = uint8_t(i * 7 + (i >> 8));
  run([&](Issuer &s) { return s.copy(at(to, 0, {size, 1, 1}, size, size), at(from, 0, {size, 1, 1}, size, size)); });
  EXPECT_EQ(std::memcmp(to.data(), from.data(), size), 0);
  EXPECT_EQ(to[size], 0xee);
  for (size_t pattern : {1, 2, 4, 8, 16, 32, 64, 128}) {
    std::vector<std::byte> bytes(pattern);
    for (size_t i = 0; i < pattern; ++i)
      bytes[i] = std::byte(i + pattern);
    for (size_t count : {size_t(1), size_t(37), size / pattern}) {
      size_t length = count * pattern;
      std::fill(to.begin(), to.end(), 0xee);
      run([&](Issuer &s) { return s.fill(at(to, 0, {length, 1, 1}, length, length), bytes); });
      for (size_t i = 0; i < length; ++i)
        ASSERT_EQ(to[i], uint8_t(i % pattern + pattern)) << "pattern " << pattern << " byte " << i;
      ASSERT_EQ(to[length], 0xee);
    }
  }
}

} // namespace kiln
