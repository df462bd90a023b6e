// Ends launches that take longer than KILN_LAUNCH_TIMEOUT, endless ones above all. Code of kernels does not poll: the
// watcher, a thread, sends a signal to the threads that run the launch, and its handler leaves the kernel at whatever
// instruction it is (Fault.h). A thread that is not in a kernel's code at that moment gets the signal again.
//
// Not handled: a thread of the application that blocks SIGILL, which does not end before it unblocks it; a handler of
// the application that has replaced Kiln's.
#pragma once
#include "backends/cpu/driver/Fault.h"

namespace kiln::cpu {

/// A launch that is ended if it takes too long, while this exists.
class LaunchWatch {
public:
  /// `kernel` is for the report.
  LaunchWatch(fault::Report &report, const std::string &kernel, uint64_t nanoseconds);
  ~LaunchWatch();
  LaunchWatch(const LaunchWatch &) = delete;

private:
  friend class LaunchWatcher;
  fault::Report &report_;
  const std::string &kernel_;
  const uint64_t limit_, deadline_; // nanoseconds
  LaunchWatch *next_ = nullptr, *previous_ = nullptr;
};

} // namespace kiln::cpu
