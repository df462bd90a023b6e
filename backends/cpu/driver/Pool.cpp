#include "backends/cpu/driver/Pool.h"
#include "backends/cpu/driver/Guest.h"
#include "backends/cpu/driver/Lane.h"
#include "backends/cpu/driver/Machine.h"
#include "runtime/support/Thread.h"
#include "runtime/support/Trace.h"
#include <algorithm>

namespace kiln::cpu {
namespace {

constexpr uint64_t SpinNanoseconds = 20'000;
// Kernels keep their private arrays in arenas; the rest of a deep call chain must fit here.
constexpr size_t StackBytes = 8 << 20;

constexpr Done Never{[](const void *) { return false; }, nullptr};

constinit std::atomic<Pool *> current{nullptr};
// The parent's pool is left alone in the child: its threads are not there.
constinit ForkHandler forget{[] { current.store(nullptr); }};

} // namespace

Pool &Pool::get() {
  if (Pool *pool = current.load(std::memory_order_acquire))
    return *pool;
  onFork(forget);
  auto *mine = new Pool(threadCount());
  Pool *other = nullptr;
  if (current.compare_exchange_strong(other, mine, std::memory_order_acq_rel))
    return *mine;
  delete mine;
  return *other;
}

Pool::Pool(unsigned size) : size_(size), maxSpinners_(std::min(size, processorCount() - 1)) {}

bool Pool::hasThreads() {
  Lock lock(mutex_);
  return started_ || !refused_;
}

void Pool::schedule(Lane &lane) noexcept {
  lane.hold();
  bool alone;
  {
    Lock lock(mutex_);
    lane.nextScheduled = nullptr;
    (lastLane_ ? lastLane_->nextScheduled : firstLane_) = &lane;
    lastLane_ = &lane;
  }
  wake(1);
  {
    Lock lock(mutex_);
    alone = !started_;
  }
  bool more;
  if (!alone)
    return;
  Guest guest;
  if (Ref<Lane> oldest = takeLane(more))
    oldest->drain();
}

Ref<Lane> Pool::takeLane(bool &more) {
  Lock lock(mutex_);
  Ref<Lane> lane(firstLane_);
  if (lane) {
    firstLane_ = lane->nextScheduled;
    if (!firstLane_)
      lastLane_ = nullptr;
    lane->drop(); // the list's
  }
  more = firstLane_;
  return lane;
}

void Pool::share(Job &job, Done done) {
  while (!done()) {
    uint64_t first = job.next.fetch_add(job.chunk, std::memory_order_relaxed);
    if (first >= job.end)
      return;
    job.body(job.context, first, std::min(first + job.chunk, job.end));
  }
}

void Pool::run(Job &job, unsigned helpers) noexcept {
  job.maxHelpers = std::min(helpers, size_ - 1);
  if (!job.maxHelpers)
    return job.body(job.context, 0, job.end);
  {
    Lock lock(mutex_);
    job.nextJob = firstJob_;
    if (firstJob_)
      firstJob_->previousJob = &job;
    firstJob_ = &job;
  }
  wake(job.maxHelpers);
  share(job, Never);
  {
    Lock lock(mutex_);
    (job.previousJob ? job.previousJob->nextJob : firstJob_) = job.nextJob;
    if (job.nextJob)
      job.nextJob->previousJob = job.previousJob;
  }
  // The others are at their last chunk. They let go under the lock, so once it has been taken with no helper left,
  // nobody looks at the job any more.
  spinFor(1000, [&] { return job.helpers.load(std::memory_order_acquire) == 0; });
  Lock lock(mutex_);
  jobLeft_.wait(lock, [&] { return job.helpers.load(std::memory_order_acquire) == 0; });
}

bool Pool::join(Done done) noexcept {
  Job *mine = nullptr;
  {
    Lock lock(mutex_);
    for (Job *job = firstJob_; job; job = job->nextJob)
      if (job->helpers.load(std::memory_order_relaxed) < job->maxHelpers &&
          job->next.load(std::memory_order_relaxed) < job->end) {
        job->helpers.fetch_add(1, std::memory_order_relaxed);
        mine = job;
        break;
      }
  }
  if (!mine)
    return false;
  bool able = !mine->prepare || mine->prepare(mine->context);
  if (able)
    share(*mine, done);
  Lock lock(mutex_);
  if (mine->helpers.fetch_sub(1, std::memory_order_release) == 1)
    jobLeft_.notifyAll();
  return able;
}

void Pool::wake(unsigned threads) {
  epoch_.fetch_add(1, std::memory_order_seq_cst);
  unsigned awake = spinning_.load(std::memory_order_seq_cst);
  if (threads <= awake)
    return;
  threads -= awake;
  unsigned asleep = sleeping_.load(std::memory_order_seq_cst);
  if (asleep)
    futexWake(epoch_, int(threads));
  while (threads > asleep) {
    {
      Lock lock(mutex_);
      if (started_ == size_)
        return;
      ++started_;
    }
    if (!startThread("kiln-cpu", [](void *pool) { static_cast<Pool *>(pool)->work(); }, this, StackBytes)) {
      Lock lock(mutex_);
      --started_;
      refused_ = true;
      return;
    }
    --threads;
  }
}

bool Pool::anythingToDo() {
  Lock lock(mutex_);
  for (Job *job = firstJob_; job; job = job->nextJob)
    if (job->helpers.load(std::memory_order_relaxed) < job->maxHelpers &&
        job->next.load(std::memory_order_relaxed) < job->end)
      return true;
  return firstLane_;
}

void Pool::work() noexcept {
  for (;;) {
    bool more = false;
    Ref<Lane> lane = takeLane(more);
    // Two wake-ups close together may both have counted on this thread.
    if (more)
      wake(1);
    if (lane)
      lane->drain();
    else if (!join(Never))
      idle();
  }
}

void Pool::idle() {
  uint32_t seen = epoch_.load(std::memory_order_seq_cst);
  auto moved = [&] { return epoch_.load(std::memory_order_seq_cst) != seen; };
  bool spin = spinning_.fetch_add(1, std::memory_order_seq_cst) < maxSpinners_;
  if (!anythingToDo()) {
    if (spin)
      for (uint64_t end = nowNanoseconds() + SpinNanoseconds; !moved() && nowNanoseconds() < end;)
        for (int i = 0; i < 32 && !moved(); ++i)
          cpuRelax();
    if (!moved()) {
      sleeping_.fetch_add(1, std::memory_order_seq_cst);
      spinning_.fetch_sub(1, std::memory_order_seq_cst);
      futexWait(epoch_, seen); // returns at once when it has moved since
      sleeping_.fetch_sub(1, std::memory_order_seq_cst);
      return;
    }
  }
  spinning_.fetch_sub(1, std::memory_order_seq_cst);
}

} // namespace kiln::cpu
