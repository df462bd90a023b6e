#include "backends/Device.h"
#include <gtest/gtest.h>

namespace kiln {
namespace {

struct AFunction : Function {};

/// Runs chunks of these times until the trial has a result. Returns the number of chunks that ran the challenger.
int runChunks(LaunchTrial &trial, uint64_t challenger, uint64_t other, int most = 1000) {
  int ofChallenger = 0;
  for (int i = 0; i < most && !trial.ratio(); ++i) {
    const bool isChallenger = trial.takesChunk();
    ofChallenger += isChallenger;
    trial.add(isChallenger, 64, isChallenger ? challenger : other);
  }
  return ofChallenger;
}

TEST(LaunchTrial, TheWinnerRunsAllLaterChunks) {
  AFunction function;
  LaunchTrial trial(function);
  runChunks(trial, 10'000, 40'000);
  EXPECT_DOUBLE_EQ(trial.ratio().value_or(0), 0.25);
  for (int i = 0; i < 20; ++i)
    EXPECT_TRUE(trial.takesChunk());
}

TEST(LaunchTrial, ALoserRunsNoMore) {
  AFunction function;
  LaunchTrial trial(function);
  EXPECT_LE(runChunks(trial, 80'000, 10'000), 6);
  EXPECT_DOUBLE_EQ(trial.ratio().value_or(0), 8);
  for (int i = 0; i < 20; ++i)
    EXPECT_FALSE(trial.takesChunk());
}

TEST(LaunchTrial, LaterChunksDoNotChangeTheResult) {
  AFunction function;
  LaunchTrial trial(function);
  runChunks(trial, 10'000, 40'000);
  for (int i = 0; i < 100; ++i)
    trial.add(true, 64, 1'000'000);
  EXPECT_DOUBLE_EQ(trial.ratio().value_or(0), 0.25);
}

TEST(LaunchTrial, AnEndlessOneTakesEveryOtherChunk) {
  AFunction function;
  LaunchTrial trial(function, 2, /*isEndless=*/true);
  EXPECT_EQ(runChunks(trial, 10'000, 40'000), 500);
}

} // namespace
} // namespace kiln
