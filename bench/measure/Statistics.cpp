#include "bench/measure/Statistics.h"
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace bench {
namespace {

constexpr double Infinity = std::numeric_limits<double>::infinity();

double middleOf(const std::vector<double> &sorted) {
  const size_t n = sorted.size();
  return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/// The interval that leaves out `outside` values at each end.
Estimate between(const std::vector<double> &sorted, double value, ptrdiff_t outside) {
  if (outside < 0)
    return {value, -Infinity, Infinity};
  return {value, sorted[size_t(outside)], sorted[sorted.size() - 1 - size_t(outside)]};
}

/// The number of values that may be left out at each end, given the probability of each count of values below the true
/// one: the largest k for which at most k values are below it with a probability of at most alpha / 2. -1: none.
template <typename Probability> ptrdiff_t largestOutside(size_t counts, double alpha, Probability probability) {
  ptrdiff_t outside = -1;
  double sum = 0;
  for (size_t k = 0; k < counts; ++k) {
    sum += probability(k);
    if (sum > alpha / 2)
      break;
    outside = ptrdiff_t(k);
  }
  return outside;
}

/// The distribution of Wilcoxon's signed-rank sum of n values without ties.
std::vector<double> rankSums(size_t n) {
  std::vector<double> of(n * (n + 1) / 2 + 1);
  of[0] = 1;
  for (size_t rank = 1, largest = 0; rank <= n; largest += rank++)
    for (size_t sum = largest + rank + 1; sum-- > 0;)
      of[sum] = ((sum <= largest ? of[sum] : 0) + (sum >= rank ? of[sum - rank] : 0)) / 2;
  return of;
}

} // namespace

Estimate median(std::vector<double> samples, double alpha) {
  std::ranges::sort(samples);
  const double n = double(samples.size());
  // The number of samples below the true median has the binomial distribution with p = 1/2.
  return between(samples, middleOf(samples), largestOutside(samples.size() / 2, alpha, [&](size_t k) {
                   return std::exp(std::lgamma(n + 1) - std::lgamma(double(k) + 1) - std::lgamma(n - double(k) + 1) -
                                   n * std::log(2.0));
                 }));
}

Estimate centre(std::span<const double> samples, double alpha) {
  std::vector<double> means;
  means.reserve(samples.size() * (samples.size() + 1) / 2);
  for (size_t i = 0; i < samples.size(); ++i)
    for (size_t k = i; k < samples.size(); ++k)
      means.push_back((samples[i] + samples[k]) / 2);
  std::ranges::sort(means);
  // The number of means below the true centre has the distribution of the signed-rank sum.
  const std::vector<double> sums = rankSums(samples.size());
  return between(means, middleOf(means), largestOutside(means.size() / 2, alpha, [&](size_t k) { return sums[k]; }));
}

void Comparison::add(double firstForwards, double firstBackwards, double secondForwards, double secondBackwards) {
  logarithms_.push_back((std::log(secondForwards / firstForwards) + std::log(secondBackwards / firstBackwards)) / 2);
  if (std::ranges::find(Looks, rounds()) != std::end(Looks))
    look();
}

void Comparison::look() { last_ = centre(logarithms_, Alpha / double(std::size(Looks))); }

bool Comparison::finished() const {
  if (rounds() < Looks[0])
    return false;
  if (rounds() >= *std::prev(std::end(Looks)))
    return true;
  if (verdict() == Verdict::NoDifference)
    return last_.low > -Equivalence && last_.high < Equivalence;
  // A difference is known to a quarter of its size.
  return last_.halfWidth() <= std::max(SmallestEffect, std::abs(last_.value) / 4);
}

Comparison::Verdict Comparison::verdict() const {
  if (rounds() < Looks[0] || !last_.excludes(0) || std::abs(last_.value) < SmallestEffect)
    return Verdict::NoDifference;
  return last_.value < 0 ? Verdict::Faster : Verdict::Slower;
}

Estimate Comparison::ratio() const { return {std::exp(last_.value), std::exp(last_.low), std::exp(last_.high)}; }

} // namespace bench
