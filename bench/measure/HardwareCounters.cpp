#include "bench/measure/HardwareCounters.h"
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace bench {
namespace {

struct Kind {
  const char *name;
  uint32_t type;
  uint64_t event;
};
constexpr Kind kinds[] = {{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
                          {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
                          {"cache_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
                          {"branch_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
                          {"cpu_seconds", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
                          {"page_faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS}};
constexpr double TaskClockUnit = 1e-9; // seconds of PERF_COUNT_SW_TASK_CLOCK

/// One counter of one thread.
class Event {
public:
  Event(const Kind &kind, pid_t thread) {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = kind.type;
    attributes.config = kind.event;
    attributes.disabled = 1;
    attributes.inherit = 1;        // threads that start later
    attributes.exclude_kernel = 1; // what perf_event_paranoid 2 allows
    attributes.exclude_hv = 1;
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    file_ = int(syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC));
    error_ = file_ < 0 ? errno : 0;
  }
  Event(Event &&other) noexcept : file_(std::exchange(other.file_, -1)), error_(other.error_) {}
  Event &operator=(Event &&) = delete;
  ~Event() {
    if (file_ >= 0)
      close(file_);
  }
  int error() const { return error_; }
  void enable() const { ioctl(file_, PERF_EVENT_IOC_ENABLE, 0); }
  void disable() const { ioctl(file_, PERF_EVENT_IOC_DISABLE, 0); }
  double count() const {
    struct {
      uint64_t value, enabled, running;
    } read{};
    if (::read(file_, &read, sizeof read) != sizeof read || !read.running)
      return 0;
    return double(read.value) * double(read.enabled) / double(read.running);
  }

private:
  int file_, error_;
};

/// The identifiers of the process's threads.
std::vector<pid_t> threads() {
  std::vector<pid_t> all;
  for (const auto &entry : std::filesystem::directory_iterator("/proc/self/task"))
    all.push_back(pid_t(std::stol(entry.path().filename().string())));
  return all;
}

} // namespace

std::vector<CounterValue> countDuring(const std::function<void()> &work, std::vector<std::string> &unavailable) {
  struct Counter {
    const Kind &kind;
    std::vector<Event> events;
  };
  std::vector<Counter> counters;
  const std::vector<pid_t> all = threads();
  for (const Kind &kind : kinds) {
    Counter counter{kind, {}};
    int error = 0;
    for (pid_t thread : all) {
      Event event(kind, thread);
      if (event.error() == ESRCH) // the thread has ended
        continue;
      if ((error = event.error()))
        break;
      counter.events.push_back(std::move(event));
    }
    if (error)
      unavailable.push_back(std::string(kind.name) + " (" + std::strerror(error) + ")");
    else
      counters.push_back(std::move(counter));
  }
  for (const Counter &counter : counters)
    for (const Event &event : counter.events)
      event.enable();
  work();
  for (const Counter &counter : counters)
    for (const Event &event : counter.events)
      event.disable();
  std::vector<CounterValue> values;
  for (const Counter &counter : counters) {
    double sum = 0;
    for (const Event &event : counter.events)
      sum += event.count();
    values.push_back(
        {counter.kind.name, std::strcmp(counter.kind.name, "cpu_seconds") == 0 ? sum * TaskClockUnit : sum});
  }
  return values;
}

} // namespace bench
