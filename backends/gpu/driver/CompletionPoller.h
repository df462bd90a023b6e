// The thread that ends operations when nobody waits for them: it looks at the device's lines from time to time, more
// often the younger the oldest work is. No interrupt, no callback a command: a look costs a microsecond, and only while
// something is on its way. It starts with the first flush and sleeps when the device is idle.
#pragma once
#include "backends/gpu/driver/Driver.h"
#include "runtime/support/Futex.h"
#include <atomic>
#include <cstdint>

namespace kiln::gpu {

class GpuDevice;

class CompletionPoller {
public:
  explicit CompletionPoller(GpuDevice &device) : device_(device) {}
  /// Something is pending that must end without further calls. False when there is no thread to see to it.
  bool ensurePolling() { return (awake_.load(std::memory_order_seq_cst) == Awake && !Driver::forked()) || wake(); }
  /// Ends the thread; nothing is pending.
  void stop();

  /// Threads that wait and look themselves: the watcher need not hurry then.
  std::atomic<unsigned> waitingThreads{0};

private:
  enum : uint32_t { NoThread, Asleep, Awake, Stopped };
  bool wake();
  void run();
  /// Looks at every line; the time to the next look, 1 for none, 0 when nothing is pending.
  uint64_t pollStreams();

  GpuDevice &device_;
  std::atomic<uint32_t> awake_{NoThread};
  std::atomic<bool> stopping_{false};
};

} // namespace kiln::gpu
