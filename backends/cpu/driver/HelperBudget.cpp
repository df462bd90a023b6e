#include "backends/cpu/driver/HelperBudget.h"
#include <algorithm>
#include <cmath>

namespace kiln::cpu {
namespace {

// With helpers that spin: the time until the first one starts and until its end is seen, and what each further helper
// adds.
constexpr double StartNanoseconds = 700, HelperNanoseconds = 100;
// A longer gap ends a sequence of launches. Helpers spin as long.
constexpr uint64_t GapNanoseconds = 20'000;
// Longer launches are always divided. With 4 ms here, launches of 1 ms ran on one thread too often after a loss: saxpy
// and jacobi_2d of bench/ took 1.25 of the time on two idle processors.
constexpr double ShortNanoseconds = 50'000;
// The reciprocal of the part of the time that may be lost.
constexpr double LossFactor = 32;
// What launches on one thread have to make up for, and what counts for wake-ups, at most.
constexpr double MaxNanoseconds = 100'000'000;

double divided(double work, double helpers) {
  return work / (helpers + 1) + StartNanoseconds + helpers * HelperNanoseconds;
}

} // namespace

Helpers HelperBudget::helpersFor(uint64_t now, double expected, unsigned most, unsigned awake, bool isAwaited) {
  if (now > end_ + GapNanoseconds)
    work_ = 0;
  if (debt_ > 0 && expected < ShortNanoseconds)
    return {};
  const double best = std::floor(std::sqrt(expected / HelperNanoseconds)) - 1;
  most = unsigned(std::clamp(best, 0., double(most)));
  if (!most || divided(expected, most) > expected)
    return {};
  work_ = std::min(work_ + expected, MaxNanoseconds);
  Helpers helpers{.most = std::min(most, awake)};
  if ((isAwaited ? expected : work_) >= MinWakeNanoseconds && most > helpers.most) {
    helpers.wakes = unsigned(std::min(work_ / WakeNanoseconds + 1, double(most - helpers.most)));
    helpers.most += helpers.wakes;
  }
  return helpers;
}

void HelperBudget::ranAlone(uint64_t now, uint64_t nanoseconds) {
  end_ = now;
  debt_ = std::max(0., debt_ - double(nanoseconds));
}

void HelperBudget::ranDivided(uint64_t now, uint64_t nanoseconds, double alone, unsigned woken) {
  const double wakeUps = woken * WakeNanoseconds;
  end_ = now;
  work_ = std::max(0., work_ - wakeUps);
  debt_ = std::clamp(debt_ + LossFactor * (double(nanoseconds) - alone - wakeUps), 0., MaxNanoseconds);
}

} // namespace kiln::cpu
