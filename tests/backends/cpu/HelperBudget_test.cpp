#include "backends/cpu/driver/HelperBudget.h"
#include <gtest/gtest.h>

namespace kiln::cpu {
namespace {

constexpr uint64_t Start = 1'000'000'000;

TEST(HelperBudget, MoreWorkHasMoreHelpers) {
  HelperBudget budget;
  unsigned before = 0;
  for (double work : {600., 3'000., 10'000., 30'000.}) {
    const Helpers helpers = budget.helpersFor(Start, work, 15, 15);
    EXPECT_EQ(helpers.wakes, 0u);
    EXPECT_TRUE(helpers.most > before || work < 1'000) << work;
    before = helpers.most;
  }
  EXPECT_EQ(before, 15u);
  EXPECT_EQ(budget.helpersFor(Start, 600, 15, 15).most, 0u) << "shorter than the hand-over";
}

// 20 us are too short to wake a thread for, but a sequence of such launches is not.
TEST(HelperBudget, ASequenceWakesHelpers) {
  HelperBudget budget;
  uint64_t now = Start;
  unsigned awake = 0;
  EXPECT_EQ(budget.helpersFor(now, 20'000, 15, awake).most, 0u);
  for (int i = 0; i < 20; ++i) {
    const Helpers helpers = budget.helpersFor(now, 20'000, 15, awake);
    EXPECT_LE(helpers.most, awake + helpers.wakes);
    awake += helpers.wakes;
    now += 20'000;
    if (helpers.most)
      budget.ranDivided(now, 20'000 / (helpers.most + 1), 20'000, helpers.wakes);
    else
      budget.ranAlone(now, 20'000);
  }
  EXPECT_GE(awake, 10u);
}

TEST(HelperBudget, LaunchesWithGapsWakeNone) {
  HelperBudget budget;
  for (uint64_t now = Start; now < 2 * Start; now += 1'000'000) {
    EXPECT_EQ(budget.helpersFor(now, 20'000, 15, 0).most, 0u);
    budget.ranAlone(now + 20'000, 20'000);
  }
}

// A launch that the application waits for is over before threads that it wakes can help.
TEST(HelperBudget, ASequenceOfAwaitedLaunchesWakesNone) {
  HelperBudget budget;
  for (uint64_t now = Start; now < Start + 1'000'000; now += 21'000) {
    EXPECT_EQ(budget.helpersFor(now, 20'000, 15, 0, true).most, 0u);
    budget.ranAlone(now + 20'000, 20'000);
  }
  EXPECT_EQ(budget.helpersFor(2 * Start, 100'000, 15, 0, true).most, 13u) << "100 us are long enough";
  EXPECT_GT(budget.helpersFor(2 * Start, 20'000, 15, 15, true).most, 0u) << "threads that are awake help";
}

TEST(HelperBudget, OneLongLaunchWakesHelpers) {
  HelperBudget budget;
  const Helpers helpers = budget.helpersFor(Start, 1'000'000, 15, 0);
  EXPECT_EQ(helpers.most, 15u);
  EXPECT_EQ(helpers.wakes, 15u);
}

// After a helper was suspended for 3 ms, launches run on one thread for 96 ms.
TEST(HelperBudget, ALossIsMadeUpFor) {
  HelperBudget budget;
  ASSERT_GT(budget.helpersFor(Start, 20'000, 1, 1).most, 0u);
  uint64_t now = Start + 3'020'000;
  budget.ranDivided(now, 3'020'000, 20'000);
  int launches = 0;
  for (; !budget.helpersFor(now, 20'000, 1, 1).most; ++launches) {
    ASSERT_LT(launches, 10'000);
    budget.ranAlone(now += 20'000, 20'000);
  }
  EXPECT_NEAR(launches, 32 * 3'000 / 20., 1);
}

TEST(HelperBudget, LongLaunchesAreDividedAfterALoss) {
  HelperBudget budget;
  budget.ranDivided(Start, 3'020'000, 20'000);
  EXPECT_GT(budget.helpersFor(Start, 50'000'000, 1, 1).most, 0u);
}

// Threads that are woken for each launch, and slow it down, are soon woken no more.
TEST(HelperBudget, UselessWakeUpsAreALoss) {
  HelperBudget budget;
  int wakes = 0;
  for (uint64_t now = Start; now < Start + 100'000'000;) {
    const Helpers helpers = budget.helpersFor(now, 20'000, 1, 0);
    wakes += int(helpers.wakes);
    now += helpers.most ? 50'000 : 20'000;
    if (helpers.most)
      budget.ranDivided(now, 50'000, 20'000, 1);
    else
      budget.ranAlone(now, 20'000);
  }
  EXPECT_GT(wakes, 1);
  EXPECT_LT(wakes, 100'000'000 / 20 / 30'000);
}

TEST(HelperBudget, AGainIsNoLoss) {
  HelperBudget budget;
  for (int i = 0; i < 10; ++i) {
    budget.ranDivided(Start, 12'000, 20'000);
    EXPECT_GT(budget.helpersFor(Start, 20'000, 1, 1).most, 0u);
  }
}

} // namespace
} // namespace kiln::cpu
