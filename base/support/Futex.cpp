#include "base/support/Futex.h"
#include <algorithm>
#include <ctime>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kiln {

static_assert(sizeof(std::atomic<uint32_t>) == 4);

void futexWait(std::atomic<uint32_t> &word, uint32_t expected, const std::chrono::nanoseconds *longest) {
  constexpr int64_t Second = 1'000'000'000;
  timespec time{};
  if (longest)
    time = {time_t(longest->count() / Second), long(longest->count() % Second)};
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, longest ? &time : nullptr, nullptr, 0);
}

void futexWake(std::atomic<uint32_t> &word, int threads) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
}

unsigned processorCount() {
  static const unsigned count = [] {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
      return std::max(1u, unsigned(CPU_COUNT(&set)));
    return unsigned(std::max(1l, sysconf(_SC_NPROCESSORS_ONLN))); // more processors than cpu_set_t can hold
  }();
  return count;
}

} // namespace kiln
