// The thread that retires operations while no thread waits for them. It polls the device's streams, more often the
// younger the oldest work is. There is no interrupt or callback per command; a poll takes a microsecond, and runs only
// while operations are pending. The thread starts at the first flush and sleeps while the device is idle.
#pragma once
#include "backends/gpu/driver/Driver.h"
#include "base/support/Futex.h"
#include <atomic>
#include <cstdint>

namespace kiln::gpu {

class GpuDevice;

class CompletionPoller {
public:
  explicit CompletionPoller(GpuDevice &device) : device_(device) {}
  /// Makes sure that pending operations are retired without further calls. Returns false if there is no thread for
  /// that.
  bool ensurePolling() { return (awake_.load(std::memory_order_seq_cst) == Awake && !Driver::forked()) || wake(); }
  /// Ends the thread. Nothing is pending.
  void stop();

  /// Waiting threads that poll themselves; the poller may be slower then.
  std::atomic<unsigned> waitingThreads{0};

private:
  enum : uint32_t { NoThread, Asleep, Awake, Stopped };
  bool wake();
  void run();
  /// Polls every stream. Returns the nanoseconds to the next poll; 1 for at once, 0 if nothing is pending.
  uint64_t pollStreams();

  GpuDevice &device_;
  std::atomic<uint32_t> awake_{NoThread};
  std::atomic<bool> stopping_{false};
  bool anyWaitsForOthers_ = false; // GpuStreamState::waitsForOthers of a stream, in the last poll; of the thread
};

} // namespace kiln::gpu
