#include "base/support/ExitGate.h"
#include "base/support/Log.h"
#include "base/support/Trace.h"
#include <cerrno>
#include <ctime>
#include <cxxabi.h>
#include <sched.h>
#include <unistd.h>

namespace kiln {
namespace {

// Refused threads sleep until this time after the closing. Nearly all processes end within 10 ms of it.
constexpr uint64_t Grace = 100'000'000;
// How long the handler waits for the threads inside. Nearly all calls take microseconds; those that may take longer
// are an assembler in this process, and calls that wait for the GPU implicitly (cuMemFree, cuModuleUnload).
constexpr uint64_t LongestWait = 10'000'000'000;
constexpr unsigned Yields = 100;
constexpr long Pause = 50'000;

} // namespace

bool ExitGateState::guard(void (*handler)(void *)) noexcept {
  process_.store(getpid(), std::memory_order_relaxed);
  return abi::__cxa_atexit(handler, nullptr, nullptr) == 0;
}

void ExitGateState::close(int own) noexcept {
  if (getpid() != process_.load(std::memory_order_relaxed))
    return;
  exiting_.store(gettid(), std::memory_order_relaxed);
  const uint64_t now = nowNanoseconds();
  uint64_t open = 0;
  closedAt_.compare_exchange_strong(open, now, std::memory_order_seq_cst);
  const auto isEmpty = [&] {
    int inside = -own;
    for (const Shard &shard : shards_)
      inside += shard.inside.load(std::memory_order_seq_cst);
    return inside <= 0;
  };
  for (unsigned i = 0; !isEmpty(); ++i) {
    if (i < Yields) {
      sched_yield();
      continue;
    }
    if (nowNanoseconds() - now > LongestWait) {
      KILN_LOG(Warn, Device, "the process ends while a thread has been in a call of a driver library for ",
               LongestWait / 1'000'000'000, " s");
      return;
    }
    const timespec time{0, Pause};
    nanosleep(&time, nullptr);
  }
}

void ExitGateState::sleepWhileEnding() const noexcept {
  if (gettid() == exiting_.load(std::memory_order_relaxed))
    return;
  const uint64_t end = closedAt_.load(std::memory_order_relaxed) + Grace;
  const timespec time{time_t(end / 1'000'000'000), long(end % 1'000'000'000)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == EINTR) {
  }
}

} // namespace kiln
