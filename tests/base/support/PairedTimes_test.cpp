#include "base/support/PairedTimes.h"
#include <gtest/gtest.h>

namespace kiln {
namespace {

void add(PairedTimes &times, int count, uint64_t challenger, uint64_t other) {
  for (int i = 0; i < count; ++i) {
    times.add(true, challenger, 1);
    for (int k = 0; k < 7; ++k)
      times.add(false, other, 1);
  }
}

TEST(PairedTimes, NothingIsKnownAtFirst) {
  PairedTimes times;
  EXPECT_FALSE(times.ratio());
  for (int i = 0; i < 100; ++i)
    times.add(true, 1, 1);
  EXPECT_FALSE(times.ratio()); // of what?
}

TEST(PairedTimes, AClearRatioNeedsFewerTimes) {
  PairedTimes clear, close;
  add(clear, 6, 3000, 1000);
  add(close, 6, 1100, 1000);
  EXPECT_DOUBLE_EQ(clear.ratio().value_or(0), 3);
  EXPECT_FALSE(close.ratio());
  add(close, 26, 1100, 1000);
  EXPECT_NEAR(close.ratio().value_or(0), 1.1, 1e-6);
}

TEST(PairedTimes, LongTimesNeedBeFew) {
  PairedTimes clear, close;
  add(clear, 2, 50'000'000, 10'000'000);
  add(close, 2, 50'000'000, 45'000'000);
  EXPECT_DOUBLE_EQ(clear.ratio().value_or(0), 5);
  EXPECT_FALSE(close.ratio());
  add(close, 2, 50'000'000, 45'000'000);
  EXPECT_TRUE(close.ratio());
}

TEST(PairedTimes, InterruptedTimesDoNotCount) {
  PairedTimes times;
  add(times, 2, 4'000'000, 1000);
  add(times, 30, 800, 1000);
  EXPECT_NEAR(times.ratio().value_or(0), 0.8, 1e-6);
}

TEST(PairedTimes, ItIsTheTimePerUnit) {
  PairedTimes times;
  for (int i = 0; i < 6; ++i) {
    times.add(true, 3000, 10);
    times.add(false, 3000, 5);
  }
  EXPECT_NEAR(times.ratio().value_or(0), 0.5, 1e-6);
}

TEST(PairedTimes, ATimeMayBeBelowTheClocksStep) {
  PairedTimes times;
  add(times, 32, 0, 0);
  EXPECT_DOUBLE_EQ(times.ratio().value_or(0), 1);
}

TEST(PairedTimes, OldTimesAreForgotten) {
  PairedTimes times;
  add(times, 64, 1000, 1000);
  add(times, 64, 5000, 1000);
  EXPECT_DOUBLE_EQ(times.ratio().value_or(0), 5);
}

} // namespace
} // namespace kiln
