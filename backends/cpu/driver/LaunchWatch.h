// Ends launches that take longer than KILN_LAUNCH_TIMEOUT, endless ones above all, and those of a context that the
// application terminates. Code of kernels does not poll: the watcher, a thread, sends a signal to the threads that run
// the launch, and its handler leaves the kernel at whatever instruction it is (Fault.h). A thread that is not in a
// kernel's code at that moment gets the signal again.
//
// Not handled: a thread of the application that blocks SIGILL, which does not end before it unblocks it; a handler of
// the application that has replaced Kiln's.
#pragma once
#include "backends/cpu/driver/Fault.h"

namespace kiln::cpu {

/// A launch that is ended if it takes too long, or if it is terminated, while this exists.
class LaunchWatch {
public:
  /// `kernel` is for the report. `nanoseconds`: its limit; 0 if it has none. `terminated` is Launch's.
  LaunchWatch(fault::Report &report, const std::string &kernel, uint64_t nanoseconds,
              const std::atomic<bool> *terminated);
  ~LaunchWatch();
  LaunchWatch(const LaunchWatch &) = delete;

private:
  friend class LaunchWatcher;
  fault::Report &report_;
  const std::string &kernel_;
  const uint64_t limit_, deadline_; // nanoseconds
  const std::atomic<bool> *const terminated_;
  LaunchWatch *next_ = nullptr, *previous_ = nullptr;
};

inline bool isTerminated(const std::atomic<bool> *terminated) {
  return terminated && terminated->load(std::memory_order_relaxed);
}
/// Device::endTerminatedLaunches
void endTerminatedLaunches();

} // namespace kiln::cpu
