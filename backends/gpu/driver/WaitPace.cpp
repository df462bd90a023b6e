#include "backends/gpu/driver/WaitPace.h"
#include "base/support/Futex.h"
#include <algorithm>
#include <ctime>
#include <sys/prctl.h>

namespace kiln::gpu {
namespace {

constexpr uint64_t PollsAlways = 200'000;
// Polling around the expected end costs at most a quarter of a core, and a millisecond in all.
constexpr uint64_t MarginShare = 8, MaxMargin = 500'000;
// A sleep costs 20 to 30 us of a virtual machine's core: some 800 in the first second.
constexpr uint64_t PauseShare = 128, MinPause = 10'000, MaxPause = 2'000'000;
constexpr int PreciseSlack = 1'000;

} // namespace

WaitPace::~WaitPace() {
  if (begin_)
    previous_.store(waited_, std::memory_order_relaxed);
  if (slack_ > 0)
    prctl(PR_SET_TIMERSLACK, slack_);
}

void WaitPace::sleep(uint64_t nanoseconds) {
  if (!slack_) {
    slack_ = prctl(PR_GET_TIMERSLACK);
    prctl(PR_SET_TIMERSLACK, PreciseSlack);
  }
  timespec time{time_t(nanoseconds / 1'000'000'000), long(nanoseconds % 1'000'000'000)};
  nanosleep(&time, nullptr);
}

bool WaitPace::pause(uint64_t now) {
  if (!begin_) {
    begin_ = now;
    expected_ = previous_.load(std::memory_order_relaxed);
  }
  waited_ = now - begin_;
  const uint64_t margin = std::min(expected_ / MarginShare, MaxMargin);
  const uint64_t first = expected_ - margin, last = expected_ + margin;
  const bool isExpected = waited_ >= first && waited_ < last;
  if (processorCount() > 1 && (waited_ < PollsAlways || isExpected)) {
    for (int i = 0; i < 8; ++i)
      cpuRelax();
    return false;
  }
  uint64_t time = std::clamp(waited_ / PauseShare, MinPause, MaxPause);
  if (waited_ < first)
    time = std::min(time, first - waited_);
  sleep(time);
  return true;
}

} // namespace kiln::gpu
