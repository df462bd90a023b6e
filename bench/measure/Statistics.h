// Estimates from samples of times, with intervals that hold for noise of unknown shape: few large outliers, and a clock
// whose speed drifts.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace bench {

/// A value and the interval that contains the true one. The interval is infinite if there are too few samples.
struct Estimate {
  double value = 0, low = 0, high = 0;
  double halfWidth() const { return (high - low) / 2; }
  bool excludes(double other) const { return other < low || other > high; }
};

/// The median. The interval, from order statistics, misses the true median with a probability of at most `alpha`.
/// `samples` must not be empty.
Estimate median(std::vector<double> samples, double alpha);

/// The centre of a symmetric distribution (Hodges and Lehmann: the median of the means of all pairs). The interval
/// inverts Wilcoxon's signed-rank test, so outliers do not widen it much. O(n^2 log n). `samples` must not be empty.
Estimate centre(std::span<const double> samples, double alpha);

/// The comparison of a variant with the first one.
///
/// A sample is one round: the variants run forwards and then backwards (A B B A), which removes a drift that is linear
/// within the round. Its value is the logarithm of B's time divided by A's. The samples are looked at after each of
/// `Looks` rounds, each with Alpha divided by the number of looks, so all looks together are wrong with a probability
/// of at most Alpha (Bonferroni).
class Comparison {
public:
  static constexpr size_t Looks[] = {12, 20, 35, 60, 100, 170, 300};
  static constexpr double Alpha = 0.005;
  /// Smaller differences are not reported: two copies of a loop differ by as much if their code is placed differently.
  static constexpr double SmallestEffect = 0.005;
  /// If the interval lies within this on both sides of no difference, more rounds do not change the verdict.
  static constexpr double Equivalence = 0.01;
  /// A larger difference than this must be excluded before the words say that there is none.
  static constexpr double Excluded = 0.03;

  /// `first` and `second` have two times of each round: forwards, backwards.
  void add(double firstForwards, double firstBackwards, double secondForwards, double secondBackwards);
  /// Returns true if more rounds would not change the verdict, or the last look has passed.
  bool finished() const;

  enum class Verdict { NoDifference, Faster, Slower };
  Verdict verdict() const;
  /// B's time divided by A's.
  Estimate ratio() const;
  size_t rounds() const { return logarithms_.size(); }

private:
  void look();

  std::vector<double> logarithms_;
  Estimate last_;
};

} // namespace bench
