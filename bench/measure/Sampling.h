// Runs variants in turn until their times, or the ratios of their times, are known.
#pragma once
#include "bench/measure/ClockWatch.h"
#include "bench/measure/Statistics.h"
#include <functional>
#include <string>

namespace bench {

/// Something to measure.
struct Variant {
  std::string name;
  /// Runs `launches` launches and returns the seconds that they took together.
  std::function<double(unsigned launches)> run;
  unsigned launches = 1; // of one sample
};

struct Sampled {
  std::vector<double> seconds; // of one launch, in the order of the samples; none if all were thrown away
  Estimate time;               // their median
  size_t throttled = 0;        // samples that were thrown away, because the clock was lowered in their round
  Comparison comparison;       // with the first variant; empty for the first one
};

struct Limits {
  double seconds = 10;     // of all samples of all variants
  double precision = 0.01; // half the width of the median's interval that ends the sampling, relative to the median
  /// Called after each round, with the longest time that the sampling can still take.
  std::function<void(size_t rounds, double secondsLeft)> progress = {};
};

/// Samples all variants in rounds, each forwards and backwards. Ends if every median has the precision and every
/// comparison is finished; at the latest after the limit's seconds or the last look of the comparisons. A round in
/// which `clock` (may be null) saw a lowered clock is thrown away as a whole, because its samples are compared with
/// each other.
std::vector<Sampled> sample(const std::vector<Variant> &variants, const Limits &limits, ClockWatch *clock);

/// The number of launches of a sample with which every variant takes at least half of `seconds`, at most 10000. It is
/// the same for all: the start and the end of a sample cost time as well, and would count as a difference. Runs the
/// variants.
unsigned launchesFor(const std::vector<Variant> &variants, double seconds);

/// "faster by 2.1% +- 0.4% than NAME", "10.5 times as long as NAME (+- 0.4%)", "no difference from NAME (at most
/// 0.6%)", "no difference found from NAME (at most 12%)".
std::string describe(const Comparison &comparison, const std::string &first);

} // namespace bench
