#include "base/support/PairedTimes.h"
#include <gtest/gtest.h>

namespace kiln {
namespace {

void add(PairedTimes &times, int count, float challenger, float other) {
  for (int i = 0; i < count; ++i) {
    times.add(true, challenger);
    for (int k = 0; k < 7; ++k)
      times.add(false, other);
  }
}

TEST(PairedTimes, NothingIsKnownAtFirst) {
  PairedTimes times;
  EXPECT_FALSE(times.ratio());
  for (int i = 0; i < 100; ++i)
    times.add(true, 1);
  EXPECT_FALSE(times.ratio()); // of what?
}

TEST(PairedTimes, AClearRatioNeedsFewerTimes) {
  PairedTimes clear, close;
  add(clear, 6, 3, 1);
  add(close, 6, 1.1f, 1);
  EXPECT_DOUBLE_EQ(clear.ratio().value_or(0), 3);
  EXPECT_FALSE(close.ratio());
  add(close, 26, 1.1f, 1);
  EXPECT_NEAR(close.ratio().value_or(0), 1.1, 1e-6);
}

TEST(PairedTimes, InterruptedTimesDoNotCount) {
  PairedTimes times;
  add(times, 2, 4000, 1);
  add(times, 30, 0.8f, 1);
  EXPECT_NEAR(times.ratio().value_or(0), 0.8, 1e-6);
}

TEST(PairedTimes, ATimeMayBeBelowTheClocksStep) {
  PairedTimes times;
  add(times, 32, 0, 0);
  EXPECT_DOUBLE_EQ(times.ratio().value_or(0), 1);
}

TEST(PairedTimes, OldTimesAreForgotten) {
  PairedTimes times;
  add(times, 64, 1, 1);
  add(times, 64, 5, 1);
  EXPECT_DOUBLE_EQ(times.ratio().value_or(0), 5);
}

} // namespace
} // namespace kiln
