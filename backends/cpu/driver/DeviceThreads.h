// The threads of a device: those that all CPU devices share, or a sub-device's own. It survives a fork, but its thread
// pool does not: the child creates another one on first use.
#pragma once
#include "backends/cpu/driver/HelperBudget.h"
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

/// What the thread that runs a stream needs to divide its operations: the parts of a job, and how well that has paid.
struct StreamDivision {
  explicit StreamDivision(const ThreadPool &pool) : parts(new JobPart[pool.size()]) {}
  const std::unique_ptr<JobPart[]> parts;
  HelperBudget budget;
};

/// The threads that one operation may use. At most one operation of a stream has them.
struct ThreadAllotment {
  ThreadAllotment(ThreadPool &pool, StreamDivision &division)
      : pool(pool), threads(pool.size()), parts(division.parts.get(), pool.size()), budget(division.budget) {}
  ThreadPool &pool;
  unsigned threads; // with the calling one
  const std::span<JobPart> parts;
  HelperBudget &budget;
};

} // namespace kiln::cpu
