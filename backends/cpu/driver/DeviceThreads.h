// Whose threads do a device's work: those that all CPU devices share, or a sub-device's own. A team outlives forks, its
// pool of threads does not: in the child there is another one as soon as it is needed.
#pragma once
#include "backends/cpu/driver/ThreadPool.h"
#include <memory>

namespace kiln::cpu {

class DeviceThreads {
public:
  /// What the CPU devices share.
  static const std::shared_ptr<DeviceThreads> &shared();
  /// A sub-device's own: so many threads, which stay on `processors` unless that is empty.
  DeviceThreads(unsigned size, std::vector<unsigned> processors) : DeviceThreads(size, std::move(processors), true) {}
  ~DeviceThreads();

  ThreadPool &pool();
  /// In which of a family of processes this is: another number in each child of a fork.
  static uint32_t process();
  /// Whether its work must stay on its own threads.
  bool confined() const { return confined_; }

private:
  DeviceThreads(unsigned size, std::vector<unsigned> processors, bool confined);
  struct PoolOfProcess;

  const unsigned size_;
  const std::vector<unsigned> processors_;
  const bool confined_;
  std::atomic<PoolOfProcess *> pool_{nullptr};
};

/// What one operation may use of them.
struct ThreadAllotment {
  explicit ThreadAllotment(DeviceThreads &threads) : pool(threads.pool()), threads(pool.size()) {}
  ThreadPool &pool;
  unsigned threads; // the caller's among them
};

} // namespace kiln::cpu
