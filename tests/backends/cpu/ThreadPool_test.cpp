// Jobs that are divided among threads, below streams and launches.
#include "backends/cpu/driver/ThreadPool.h"
#include "base/support/Trace.h"
#include <algorithm>
#include <atomic>
#include <ctime>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace kiln::cpu {
namespace {

constexpr unsigned Threads = 4;

class ThreadPoolJobs : public ::testing::Test {
protected:
  ThreadPoolJobs() : pool(new ThreadPool(Threads, {})) {}
  ~ThreadPoolJobs() override { pool->stop(); }

  /// A thread that leads jobs.
  struct Leader {
    explicit Leader(ThreadPool &pool) : pool(pool) {}
    template <typename Body> JobTimes run(uint64_t end, uint64_t chunk, Body body, Helpers helpers) {
      Job job{.body = [](void *context, uint64_t first, uint64_t end) { (*static_cast<Body *>(context))(first, end); },
              .context = &body,
              .end = end,
              .chunk = chunk};
      return pool.run(job, parts, helpers);
    }
    ThreadPool &pool;
    std::vector<JobPart> parts{Threads};
  };
  static constexpr Helpers All{Threads - 1, Threads - 1};

  Ref<ThreadPool> pool;
};

bool waitFor(auto condition) {
  for (uint64_t end = nowNanoseconds() + 20'000'000'000; !condition(); std::this_thread::yield())
    if (nowNanoseconds() > end)
      return false;
  return true;
}

uint64_t processorNanoseconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return uint64_t(time.tv_sec) * 1'000'000'000 + uint64_t(time.tv_nsec);
}

// Each unit of each job runs once, and later jobs of a leader read what earlier ones wrote, for any number of units,
// chunks and helpers, and for helpers that spin, sleep or come late.
TEST_F(ThreadPoolJobs, DependentJobs) {
  constexpr uint64_t Units = 1000;
  constexpr uint32_t Jobs = 2000;
  std::vector<uint32_t> from(Units), to(Units);
  Leader leader(*pool);
  for (uint32_t i = 0; i < Jobs; ++i) {
    // The last unit of one job is the first one of the next: of another thread, if the job is divided.
    auto step = [&](uint64_t first, uint64_t end) {
      for (uint64_t unit = first; unit < end; ++unit)
        to[Units - 1 - unit] = from[unit] + uint32_t(unit == i % Units);
    };
    const unsigned helpers = i % Threads;
    leader.run(Units, 1 + i % 64, step, {.most = helpers, .wakes = i % 3 ? helpers : 0});
    from.swap(to);
    if (i % 500 == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(1)); // the helpers fall asleep
  }
  std::vector<uint32_t> expected(Units), next(Units);
  for (uint32_t i = 0; i < Jobs; ++i) {
    ++expected[i % Units];
    std::ranges::reverse_copy(expected, next.begin());
    expected.swap(next);
  }
  EXPECT_EQ(from, expected);
}

TEST_F(ThreadPoolJobs, SeveralLeaders) {
  std::vector<std::thread> leaders;
  std::atomic<int> wrong{0};
  for (uint64_t chunk = 1; chunk <= 6; ++chunk)
    leaders.emplace_back([&, chunk] {
      Leader leader(*pool);
      std::vector<uint32_t> counts(333);
      for (uint32_t round = 1; round <= 500; ++round) {
        auto count = [&](uint64_t first, uint64_t end) {
          for (uint64_t unit = first; unit < end; ++unit)
            ++counts[unit];
        };
        leader.run(counts.size(), chunk, count, All);
        for (uint32_t times : counts)
          wrong += times != round;
      }
    });
  for (std::thread &leader : leaders)
    leader.join();
  EXPECT_EQ(wrong, 0);
}

// One unit takes as long as all others together, in whatever part it is: other threads run the rest of its part.
TEST_F(ThreadPoolJobs, UnevenUnitsAreBalanced) {
  constexpr uint64_t Units = 64;
  Leader leader(*pool);
  for (uint64_t slow : {uint64_t(0), Units / 2, Units - 1}) {
    std::atomic<uint64_t> others{0};
    bool balanced = false;
    auto body = [&](uint64_t first, uint64_t end) {
      for (uint64_t unit = first; unit < end; ++unit)
        if (unit == slow)
          balanced = waitFor([&] { return others == Units - 1; });
        else
          ++others;
    };
    leader.run(Units, 1, body, All);
    EXPECT_TRUE(balanced) << slow;
  }
}

// A thread that is busy when the job begins helps once it is idle.
TEST_F(ThreadPoolJobs, BusyThreadsHelpLater) {
  std::atomic<unsigned> busy{0};
  std::atomic<bool> release{false};
  std::thread first([&] {
    Leader leader(*pool);
    auto block = [&](uint64_t, uint64_t) {
      ++busy;
      EXPECT_TRUE(waitFor([&] { return release.load(); }));
    };
    leader.run(Threads, 1, block, All);
  });
  ASSERT_TRUE(waitFor([&] { return busy == Threads; }));
  Leader leader(*pool);
  std::atomic<unsigned> ran{0};
  auto body = [&](uint64_t, uint64_t) {
    ++ran;
    release = true;
    EXPECT_TRUE(waitFor([&] { return ran > 1; })) << "no other thread helps";
  };
  leader.run(8, 1, body, All);
  EXPECT_EQ(ran, 8u);
  first.join();
}

// What a leader measures covers the time of all threads.
TEST_F(ThreadPoolJobs, TimesAreThoseOfAllThreads) {
  Leader leader(*pool);
  std::atomic<unsigned> begun{0};
  auto body = [&](uint64_t first, uint64_t end) {
    begun += unsigned(end - first);
    EXPECT_TRUE(waitFor([&] { return begun == Threads; }));
    const uint64_t until = nowNanoseconds() + 2'000'000;
    while (nowNanoseconds() < until) {
    }
  };
  const JobTimes times = leader.run(Threads, 1, body, All);
  EXPECT_GE(times.busy, Threads * 2'000'000u);
  EXPECT_GE(times.own, 2'000'000u);
  EXPECT_EQ(times.ownUnits, 1u);
}

// Threads without work use no processor time after a short spin.
TEST_F(ThreadPoolJobs, IdleThreadsSleep) {
  Leader leader(*pool);
  std::atomic<unsigned> begun{0};
  auto body = [&](uint64_t, uint64_t) {
    ++begun;
    EXPECT_TRUE(waitFor([&] { return begun == Threads; }));
  };
  leader.run(Threads, 1, body, All); // starts all threads
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const uint64_t before = processorNanoseconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_LT(processorNanoseconds() - before, 5'000'000u);
  EXPECT_EQ(pool->awakeOthers(), 0u);
}

} // namespace
} // namespace kiln::cpu
