// The threads of a device: those that all CPU devices share, or a sub-device's own. It survives a fork, but its thread
// pool does not: the child creates another one on first use.
#pragma once
#include "backends/cpu/driver/ThreadPool.h"
#include <memory>

namespace kiln::cpu {

class DeviceThreads {
public:
  /// The threads that the CPU devices share.
  static const std::shared_ptr<DeviceThreads> &shared();
  /// The threads of a sub-device, `size` of them; restricted to `processors`; if that is empty, to the
  /// processors that the process had when its first CPU device was created.
  DeviceThreads(unsigned size, std::vector<unsigned> processors) : DeviceThreads(size, std::move(processors), true) {}
  ~DeviceThreads();

  ThreadPool &pool();
  /// The number of forks between the first process and this one. Identifies the process that created a pool.
  static uint32_t forkDepth();
  /// Returns true if the device's work must run on its own threads.
  bool confined() const { return confined_; }

private:
  DeviceThreads(unsigned size, std::vector<unsigned> processors, bool confined);
  struct PoolOfProcess;

  const unsigned size_;
  const std::vector<unsigned> processors_;
  const bool confined_;
  std::atomic<PoolOfProcess *> pool_{nullptr};
};

/// The threads that one operation may use.
struct ThreadAllotment {
  explicit ThreadAllotment(DeviceThreads &threads) : pool(threads.pool()), threads(pool.size()) {}
  ThreadPool &pool;
  unsigned threads; // with the calling one
};

} // namespace kiln::cpu
