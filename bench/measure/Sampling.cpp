#include "bench/measure/Sampling.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iterator>

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;
double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The probability that a median's interval misses the true median.
constexpr double MedianAlpha = 0.05;

bool isPrecise(const Sampled &one, double precision) {
  const Estimate time = median(one.seconds, MedianAlpha);
  return time.halfWidth() <= precision * time.value;
}

} // namespace

std::vector<Sampled> sample(const std::vector<Variant> &variants, const Limits &limits, ClockWatch *clock) {
  std::vector<Sampled> all(variants.size());
  for (const Variant &variant : variants)
    variant.run(variant.launches); // warms caches and starts threads
  const Clock::time_point start = Clock::now();
  const size_t last = *std::prev(std::end(Comparison::Looks));
  for (size_t round = 1; round <= last;) {
    std::vector<double> forwards(variants.size()), backwards(variants.size());
    bool throttled = false;
    auto run = [&](size_t i) {
      if (clock)
        clock->begin();
      const double seconds = variants[i].run(variants[i].launches) / variants[i].launches;
      throttled |= clock && clock->throttled();
      return seconds;
    };
    for (size_t i = 0; i < variants.size(); ++i)
      forwards[i] = run(i);
    for (size_t i = variants.size(); i-- > 0;)
      backwards[i] = run(i);
    if (limits.progress)
      limits.progress(round, limits.seconds - secondsSince(start));
    if (throttled) {
      for (Sampled &one : all)
        one.throttled += 2;
      if (secondsSince(start) > limits.seconds)
        break;
      continue;
    }
    for (size_t i = 0; i < variants.size(); ++i) {
      all[i].seconds.insert(all[i].seconds.end(), {forwards[i], backwards[i]});
      if (i)
        all[i].comparison.add(forwards[0], backwards[0], forwards[i], backwards[i]);
    }
    if (std::ranges::find(Comparison::Looks, round++) == std::end(Comparison::Looks))
      continue;
    if (secondsSince(start) > limits.seconds)
      break;
    bool finished = std::ranges::all_of(all, [&](const Sampled &one) { return isPrecise(one, limits.precision); });
    for (size_t i = 1; i < all.size(); ++i)
      finished &= all[i].comparison.finished();
    if (finished)
      break;
  }
  for (Sampled &one : all)
    if (!one.seconds.empty())
      one.time = median(one.seconds, MedianAlpha);
  return all;
}

unsigned launchesFor(const std::vector<Variant> &variants, double seconds) {
  constexpr unsigned Most = 10000;
  unsigned common = 1;
  for (const Variant &variant : variants)
    for (double took = 0; took < seconds / 2 && common < Most;) {
      took = variant.run(common);
      if (took < seconds / 2)
        common = took < seconds / 8 ? std::min(common * 4, Most) : std::min(common * 2, Most);
    }
  return common;
}

// A ratio from which people say "twice as long" and not "slower by 100%".
static constexpr double TimesInsteadOfPercent = 1.5;

std::string describe(const Comparison &comparison, const std::string &first) {
  char words[96];
  const Estimate ratio = comparison.ratio();
  const double spread = 100 * std::max(ratio.high - ratio.value, ratio.value - ratio.low);
  if (comparison.rounds() < Comparison::Looks[0])
    return "no verdict: too few samples";
  if (comparison.verdict() == Comparison::Verdict::NoDifference) {
    const double most = std::max(ratio.high - 1, 1 - ratio.low);
    const char *found = most > Comparison::Excluded ? " found" : ""; // on a busy machine there may be one
    std::snprintf(words, sizeof words, "no difference%s from %s (at most %.1f%%)", found, first.c_str(), 100 * most);
    return words;
  }
  const bool faster = comparison.verdict() == Comparison::Verdict::Faster;
  const double times = faster ? 1 / ratio.value : ratio.value;
  if (times >= TimesInsteadOfPercent) {
    std::snprintf(words, sizeof words, "%.3g times as %s as %s (+- %.1f%%)", times, faster ? "fast" : "long",
                  first.c_str(), spread / ratio.value);
    return words;
  }
  std::snprintf(words, sizeof words, "%s by %.1f%% +- %.1f%% than %s", faster ? "faster" : "slower",
                100 * std::abs(ratio.value - 1), spread, first.c_str());
  return words;
}

} // namespace bench
