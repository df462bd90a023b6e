#include "backends/kilnc/compiler/Clock.h"
#include <cerrno>
#include <cstring>
#include <ctime>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kiln {

uint64_t processorTime() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return uint64_t(time.tv_sec) * 1'000'000'000 + uint64_t(time.tv_nsec);
}

static int counter = -1;

bool countInstructions(std::string &error) {
  perf_event_attr what{};
  what.type = PERF_TYPE_HARDWARE;
  what.size = sizeof what;
  what.config = PERF_COUNT_HW_INSTRUCTIONS;
  what.exclude_kernel = what.exclude_hv = 1;
  what.inherit = 1;
  counter = int(syscall(SYS_perf_event_open, &what, /*process=*/0, /*processor=*/-1, /*group=*/-1, 0));
  if (counter < 0)
    error = std::string("cannot count instructions: ") + std::strerror(errno);
  return counter >= 0;
}

uint64_t instructions() {
  uint64_t count = 0;
  return read(counter, &count, sizeof count) == sizeof count ? count : 0;
}

} // namespace kiln
