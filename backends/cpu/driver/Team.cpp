#include "backends/cpu/driver/Team.h"
#include "backends/cpu/driver/Machine.h"
#include "runtime/support/Thread.h"

namespace kiln::cpu {
namespace {

constinit std::atomic<uint32_t> forks{0};
constinit ForkHandler countForks{[] { forks.fetch_add(1); }};

} // namespace

/// A pool, and the process that it was made in, by the number of forks before.
struct Team::Made {
  Ref<Pool> pool;
  uint32_t process;
};

const std::shared_ptr<Team> &Team::whole() {
  // Leaked: threads of ours may still work while the process ends.
  static const auto *team = new std::shared_ptr<Team>(new Team(threadCount(), {}, false));
  return *team;
}

Team::Team(unsigned size, std::vector<unsigned> processors, bool confined)
    : size_(size), processors_(std::move(processors)), confined_(confined) {
  onFork(countForks);
}

Team::~Team() {
  Made *made = made_.load(std::memory_order_acquire);
  // What another process made is left alone: its threads are not here, and one of them may have held its lock.
  if (!made || made->process != process())
    return;
  made->pool->stop();
  delete made;
}

uint32_t Team::process() { return forks.load(std::memory_order_relaxed); }

Pool &Team::pool() {
  Made *made = made_.load(std::memory_order_acquire);
  if (made && made->process == process())
    return *made->pool;
  auto *mine = new Made{Ref<Pool>(new Pool(size_, processors_)), process()};
  if (made_.compare_exchange_strong(made, mine, std::memory_order_acq_rel))
    return *mine->pool;
  delete mine;
  return *made->pool;
}

} // namespace kiln::cpu
