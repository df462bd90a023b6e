// The verdicts of comparisons: how often they are right, on simulated times and on times of a real kernel.
#include "bench/measure/Sampling.h"
#include <algorithm>
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

namespace bench {
namespace {

/// Times of a machine whose clock drifts, with normal noise and with rare interrupts, which only lengthen a time.
class Machine {
public:
  struct Noise {
    double jitter, interrupts, interruptSize, drift;
  };
  Machine(uint64_t seed, const Noise &noise) : random_(seed), noise_(noise) {}

  double time(double real) {
    // The clock's speed is a random walk that returns to the middle; its steps are as large as the jitter.
    speed_ = 0.98 * speed_ + noise_.drift * normal_(random_);
    double time = real * std::exp(speed_ + noise_.jitter * normal_(random_));
    if (uniform_(random_) < noise_.interrupts)
      time *= 1 + noise_.interruptSize * -std::log(1 - uniform_(random_));
    return time;
  }

private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  const Noise noise_;
  double speed_ = 0;
};

constexpr Machine::Noise Quiet{0.004, 0.01, 0.5, 0.001}, Usual{0.015, 0.05, 0.5, 0.005}, Busy{0.03, 0.15, 1.0, 0.01};

Comparison compare(uint64_t seed, const Machine::Noise &noise, double ratio) {
  Machine machine(seed, noise);
  Comparison comparison;
  while (!comparison.finished()) {
    const double a = machine.time(1), b = machine.time(ratio), b2 = machine.time(ratio), a2 = machine.time(1);
    comparison.add(a, a2, b, b2);
  }
  return comparison;
}

constexpr int Trials = 1000;

int countOf(const Machine::Noise &noise, double ratio, Comparison::Verdict verdict) {
  int count = 0;
  for (int seed = 0; seed < Trials; ++seed)
    count += compare(uint64_t(seed) + 1, noise, ratio).verdict() == verdict;
  testing::Test::RecordProperty("jitter " + std::to_string(noise.jitter) + ", ratio " + std::to_string(ratio), count);
  return count;
}

TEST(Comparison, IdenticalVariantsAreEqual) {
  for (const Machine::Noise &noise : {Quiet, Usual, Busy})
    EXPECT_GE(countOf(noise, 1, Comparison::Verdict::NoDifference), Trials * 99 / 100) << noise.jitter;
}

TEST(Comparison, DifferencesOfThreePercentAreFound) {
  for (const Machine::Noise &noise : {Quiet, Usual}) {
    EXPECT_GE(countOf(noise, 1.03, Comparison::Verdict::Slower), Trials * 95 / 100) << noise.jitter;
    EXPECT_GE(countOf(noise, 0.97, Comparison::Verdict::Faster), Trials * 95 / 100) << noise.jitter;
  }
}

// On a busy machine a difference of 3% may remain unknown, but its sign is never wrong.
TEST(Comparison, TheSignIsRight) {
  EXPECT_EQ(countOf(Busy, 1.03, Comparison::Verdict::Faster), 0);
  EXPECT_EQ(countOf(Usual, 0.97, Comparison::Verdict::Slower), 0);
}

TEST(Comparison, TheIntervalContainsTheRatio) {
  int contained = 0;
  for (int seed = 0; seed < Trials; ++seed)
    contained += !compare(uint64_t(seed) + 1, Usual, 1.05).ratio().excludes(1.05);
  EXPECT_GE(contained, Trials * 99 / 100);
}

TEST(Comparison, FewRoundsWhereTheNoiseIsSmall) {
  EXPECT_EQ(compare(1, Quiet, 1.2).rounds(), Comparison::Looks[0]);
  EXPECT_EQ(compare(1, Quiet, 1.0).rounds(), Comparison::Looks[0]);
  EXPECT_EQ(compare(1, Busy, 1.0).rounds(), 300u);
}

TEST(Comparison, DriftWithinARoundIsRemoved) {
  Comparison comparison;
  double clock = 1;
  auto next = [&] { return clock += 0.02; }; // each sample is slower than the one before
  while (!comparison.finished()) {
    const double a = next(), b = next(), b2 = next(), a2 = next();
    comparison.add(a, a2, b, b2);
  }
  EXPECT_EQ(comparison.verdict(), Comparison::Verdict::NoDifference);
}

TEST(Statistics, MedianAndItsInterval) {
  const Estimate few = median({3, 1, 2}, 0.05);
  EXPECT_EQ(few.value, 2);
  EXPECT_TRUE(std::isinf(few.low) && std::isinf(few.high));
  std::vector<double> many;
  for (int i = 1; i <= 20; ++i)
    many.push_back(i);
  const Estimate estimate = median(many, 0.05);
  EXPECT_EQ(estimate.value, 10.5);
  // P(Binomial(20, 1/2) <= 5) = 0.0207, and <= 6 is 0.0577: the sixth value from each end.
  EXPECT_EQ(estimate.low, 6);
  EXPECT_EQ(estimate.high, 15);
}

// Hollander and Wolfe, Nonparametric Statistical Methods: P(T <= 8) = 0.0244 for n = 10.
TEST(Statistics, TheSignedRankInterval) {
  std::vector<double> samples;
  for (int i = 0; i < 10; ++i)
    samples.push_back(std::pow(2.0, i)); // no two means are equal
  std::vector<double> means;
  for (size_t i = 0; i < 10; ++i)
    for (size_t k = i; k < 10; ++k)
      means.push_back((samples[i] + samples[k]) / 2);
  std::ranges::sort(means);
  const Estimate estimate = centre(samples, 0.05);
  EXPECT_EQ(estimate.value, means[27]);
  EXPECT_EQ(estimate.low, means[8]);
  EXPECT_EQ(estimate.high, means[46]);
}

/// Rounds of a real kernel that ran as two identical variants: a line has the four times of a round in seconds.
Comparison compareReal(double scale) {
  std::ifstream file(KILN_BENCH_INPUTS "/identical_variants.txt");
  Comparison comparison;
  for (double a, b, b2, a2; file >> a >> b >> b2 >> a2;)
    comparison.add(a, a2, b * scale, b2 * scale);
  EXPECT_GE(comparison.rounds(), 60u);
  return comparison;
}

TEST(Comparison, ARealSample) {
  EXPECT_EQ(compareReal(1).verdict(), Comparison::Verdict::NoDifference);
  EXPECT_EQ(compareReal(1.03).verdict(), Comparison::Verdict::Slower);
  EXPECT_EQ(compareReal(0.97).verdict(), Comparison::Verdict::Faster);
}

TEST(Sampling, WordsOfTheVerdict) {
  Comparison faster, equal, twice, tenth;
  for (int i = 0; i < 12; ++i) {
    const double noise = 1 + i * 1e-5;
    faster.add(1, 1, 0.9 * noise, 0.9 * noise);
    twice.add(1, 1, 2 * noise, 2 * noise);
    tenth.add(1, 1, 0.1 * noise, 0.1 * noise);
    equal.add(1, 1, 1 + (i - 5.5) * 1e-4, 1 + (i - 5.5) * 1e-4);
  }
  EXPECT_EQ(describe(faster, "a.cl"), "faster by 10.0% +- 0.0% than a.cl");
  EXPECT_EQ(describe(twice, "a.cl"), "2 times as long as a.cl (+- 0.0%)");
  EXPECT_EQ(describe(tenth, "a.cl"), "10 times as fast as a.cl (+- 0.0%)");
  EXPECT_EQ(describe(equal, "a.cl"), "no difference from a.cl (at most 0.1%)");
  Comparison busy;
  for (int i = 0; i < 12; ++i)
    busy.add(1, 1, 1 + (i - 5.5) * 0.02, 1 + (i - 5.5) * 0.02);
  EXPECT_TRUE(describe(busy, "a.cl").starts_with("no difference found from a.cl (at most ")) << describe(busy, "a.cl");
  EXPECT_EQ(describe({}, "a.cl"), "no verdict: too few samples");
}

TEST(Sampling, EndsWhenAllIsKnown) {
  unsigned runs = 0;
  const Variant steady{"steady", [&](unsigned launches) { return ++runs, 1e-3 * launches; }};
  size_t shown = 0;
  const std::vector<Sampled> found = sample({steady, steady},
                                            {.progress =
                                                 [&](size_t rounds, double secondsLeft) {
                                                   EXPECT_EQ(rounds, ++shown);
                                                   EXPECT_LE(secondsLeft, 10);
                                                 }},
                                            nullptr);
  EXPECT_EQ(shown, Comparison::Looks[0]);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].seconds.size(), 2 * Comparison::Looks[0]);
  EXPECT_DOUBLE_EQ(found[1].time.value, 1e-3);
  EXPECT_EQ(runs, 4 * Comparison::Looks[0] + 2);
}

TEST(Sampling, LaunchesOfASample) {
  const Variant shortOne{"short", [](unsigned launches) { return 1e-6 * launches; }},
      longOne{"long", [](unsigned launches) { return 1e-1 * launches; }};
  EXPECT_EQ(launchesFor({shortOne}, 2e-3), 1024u);
  EXPECT_EQ(launchesFor({longOne}, 2e-3), 1u);
  EXPECT_EQ(launchesFor({longOne, shortOne, longOne}, 2e-3), 1024u);
  const Variant empty{"empty", [](unsigned) { return 0.0; }};
  EXPECT_EQ(launchesFor({empty}, 2e-3), 10000u);
}

} // namespace
} // namespace bench
