// When a waiting thread polls and when it sleeps. The times are given, so that the machine's load changes nothing.
#include "backends/gpu/driver/WaitPace.h"
#include "base/support/Futex.h"
#include <gtest/gtest.h>
#include <sys/prctl.h>

namespace kiln::gpu {
namespace {

constexpr uint64_t Begin = 1'000'000'000, Microsecond = 1000, Millisecond = 1'000'000;

class WaitPaces : public testing::Test {
protected:
  void SetUp() override {
    if (processorCount() == 1)
      GTEST_SKIP() << "a thread that polls would keep the only processor from the others";
  }
  std::atomic<uint64_t> previous{0};
};

TEST_F(WaitPaces, PollsAtFirstAndThenSleeps) {
  WaitPace pace(previous);
  EXPECT_FALSE(pace.pause(Begin));
  EXPECT_FALSE(pace.pause(Begin + 199 * Microsecond));
  EXPECT_TRUE(pace.pause(Begin + 201 * Microsecond));
  EXPECT_TRUE(pace.pause(Begin + 1000 * Millisecond));
}

TEST_F(WaitPaces, RemembersHowLongTheWaitTook) {
  {
    WaitPace pace(previous);
    pace.pause(Begin);
    pace.pause(Begin + 100 * Microsecond);
  }
  EXPECT_EQ(previous.load(), 100 * Microsecond);
  {
    WaitPace withoutPause(previous);
  }
  EXPECT_EQ(previous.load(), 100 * Microsecond) << "a poll of an event is no wait";
}

TEST_F(WaitPaces, PollsAroundTheExpectedEnd) {
  previous = 2 * Millisecond;
  WaitPace pace(previous);
  EXPECT_FALSE(pace.pause(Begin));
  EXPECT_TRUE(pace.pause(Begin + 1700 * Microsecond));
  EXPECT_FALSE(pace.pause(Begin + 1760 * Microsecond));
  EXPECT_FALSE(pace.pause(Begin + 2240 * Microsecond));
  EXPECT_TRUE(pace.pause(Begin + 2260 * Microsecond));
}

TEST_F(WaitPaces, PollsAMillisecondAtMostAroundALateEnd) {
  previous = 1000 * Millisecond;
  WaitPace pace(previous);
  EXPECT_FALSE(pace.pause(Begin));
  EXPECT_TRUE(pace.pause(Begin + 999 * Millisecond));
  EXPECT_FALSE(pace.pause(Begin + 1000 * Millisecond));
  EXPECT_TRUE(pace.pause(Begin + 1001 * Millisecond));
}

TEST_F(WaitPaces, LeavesTheThreadsTimerSlack) {
  const int before = prctl(PR_GET_TIMERSLACK);
  {
    WaitPace pace(previous);
    pace.pause(Begin);
    EXPECT_TRUE(pace.pause(Begin + Millisecond));
    EXPECT_LT(prctl(PR_GET_TIMERSLACK), before);
  }
  EXPECT_EQ(prctl(PR_GET_TIMERSLACK), before);
}

} // namespace
} // namespace kiln::gpu
