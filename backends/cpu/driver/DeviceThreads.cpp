#include "backends/cpu/driver/DeviceThreads.h"
#include "backends/cpu/driver/Machine.h"
#include "base/support/Thread.h"

namespace kiln::cpu {
namespace {

constinit std::atomic<uint32_t> forks{0};
constinit ForkHandler countForks{[] { forks.fetch_add(1); }};

} // namespace

/// A pool and the process that created it.
struct DeviceThreads::PoolOfProcess {
  Ref<ThreadPool> pool;
  uint32_t forkDepth;
};

const std::shared_ptr<DeviceThreads> &DeviceThreads::shared() {
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
  auto *mine = new PoolOfProcess{Ref<ThreadPool>(new ThreadPool(size_, processors_)), forkDepth()};
  if (pool_.compare_exchange_strong(made, mine, std::memory_order_acq_rel))
    return *mine->pool;
  delete mine;
  return *made->pool;
}

} // namespace kiln::cpu
