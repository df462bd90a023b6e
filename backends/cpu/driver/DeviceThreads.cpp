#include "backends/cpu/driver/DeviceThreads.h"
#include "backends/cpu/driver/Machine.h"
#include "backends/cpu/driver/Topology.h"
#include "base/support/Thread.h"

namespace kiln::cpu {
namespace {

constinit std::atomic<uint32_t> forks{0};
constinit ForkHandler countForks{[] { forks.fetch_add(1); }};

/// The processors of the process when its first CPU device was created. A pool thread would inherit the affinity mask
/// of the thread that creates it, and task schedulers as StarPU bind each of their threads to one processor. Leaked: a
/// pool may be created while the process exits.
const std::vector<unsigned> &initialProcessors() {
  static const auto *processors = new std::vector<unsigned>(allowedProcessors());
  return *processors;
}

} // namespace

/// A pool and the process that created it.
struct DeviceThreads::PoolOfProcess {
  Ref<ThreadPool> pool;
  uint32_t forkDepth;
};

const std::shared_ptr<DeviceThreads> &DeviceThreads::shared() {
  initialProcessors();
  // Leaked: its threads may still run while the process exits.
  static const auto *team = new std::shared_ptr<DeviceThreads>(new DeviceThreads(threadCount(), {}, false));
  return *team;
}

DeviceThreads::DeviceThreads(unsigned size, std::vector<unsigned> processors, bool confined)
    : size_(size), processors_(std::move(processors)), confined_(confined) {
  onFork(countForks);
}

DeviceThreads::~DeviceThreads() {
  PoolOfProcess *made = pool_.load(std::memory_order_acquire);
  // The pool of another process is leaked: its threads do not exist here, and its lock may be held.
  if (!made || made->forkDepth != forkDepth())
    return;
  made->pool->stop();
  delete made;
}

uint32_t DeviceThreads::forkDepth() { return forks.load(std::memory_order_relaxed); }

ThreadPool &DeviceThreads::pool() {
  PoolOfProcess *made = pool_.load(std::memory_order_acquire);
  if (made && made->forkDepth == forkDepth())
    return *made->pool;
  // The child of a fork may have set its own affinity mask, which its threads inherit.
  const bool inherits = forkDepth() != 0;
  const std::vector<unsigned> &processors = processors_.empty() && !inherits ? initialProcessors() : processors_;
  auto *mine = new PoolOfProcess{Ref<ThreadPool>(new ThreadPool(size_, processors)), forkDepth()};
  if (pool_.compare_exchange_strong(made, mine, std::memory_order_acq_rel))
    return *mine->pool;
  delete mine;
  return *made->pool;
}

} // namespace kiln::cpu
