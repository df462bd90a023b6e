#include "backends/cpu/driver/Lane.h"
#include "backends/cpu/driver/Execute.h"
#include "backends/cpu/driver/Guest.h"
#include "runtime/support/Trace.h"
#include <new>

namespace kiln::cpu {
namespace {

/// What an operation issues to. The lane's own stream may be gone by the time the last operation ends, and nothing of
/// it is needed.
class Executor final : public Stream {
public:
  explicit Executor(const Lane &lane) : crew_(*lane.team) {
    if (lane.hints.throttle == Hint::Low)
      crew_.threads = (crew_.threads + 1) / 2;
  }
  void submit(Operation &) override {}
  void flush() override {}
  Status copy(const Region &to, const Region &from) override { return copyRegion(crew_, to, from); }
  Status fill(const Region &to, std::span<const std::byte> pattern) override { return fillRegion(crew_, to, pattern); }
  Status launch(const Launch &launch) override { return runLaunch(crew_, launch); }

private:
  Crew crew_;
};

void run(Operation &operation, Executor &executor) {
  if (!operation.needsTimes) {
    Status status = operation.issue(executor);
    return operation.onEnded(status.code(), 0, 0);
  }
  uint64_t start = nowNanoseconds();
  Status status = operation.issue(executor);
  operation.onEnded(status.code(), start, nowNanoseconds());
}

} // namespace

/// In the child of a fork, the thread that ran the lane is not there, and had perhaps not said yet that it was done.
void Lane::enter() KILN_NO_THREAD_SAFETY {
  const uint32_t here = Team::process();
  uint32_t known = process_.load(std::memory_order_acquire);
  if (known == here) [[likely]]
    return;
  if (known == Entering || !process_.compare_exchange_strong(known, Entering)) {
    while (process_.load(std::memory_order_acquire) != here)
      ;
    return;
  }
  new (&mutex_) Mutex;
  owned_ = scheduled_ = false;
  nextScheduled = nullptr;
  process_.store(here, std::memory_order_release);
}

void Lane::submit(Operation &operation) {
  enter();
  Lock lock(mutex_);
  operation.streamNext = nullptr;
  (last_ ? last_->streamNext : first_) = &operation;
  last_ = &operation;
}

void Lane::flush() {
  enter();
  {
    Lock lock(mutex_);
    if (!first_ && !owned_)
      return;
    flushed_ = true;
    if (owned_ || scheduled_)
      return; // whoever has it, or gets it, runs everything
    scheduled_ = true;
  }
  team->pool().schedule(*this);
}

void Lane::drain() {
  {
    Lock lock(mutex_);
    scheduled_ = false;
  }
  Pool &pool = team->pool();
  pool.expectMore(true); // the application goes on adding
  drainUntil({[](const void *) { return false; }, nullptr});
  pool.expectMore(false);
}

void Lane::drainUntil(WaitCondition done) {
  enter();
  Ref<Lane> self(this);
  Executor executor(*this);
  Lock lock(mutex_);
  if (owned_)
    return;
  owned_ = true;
  bool stopped = false, expected = false;
  auto expectMore = [&](bool does) {
    if (does == expected)
      return;
    expected = does;
    team->pool().expectMore(does);
  };
  while (first_ && !stopped) {
    // All that is there at once: one turn of the lock for a batch.
    Operation *batch = std::exchange(first_, nullptr), *batchLast = std::exchange(last_, nullptr);
    lock.unlock();
    while (batch && !(stopped = done())) {
      Operation *operation = batch;
      batch = operation->streamNext; // before it is gone
      expectMore(batch);
      run(*operation, executor);
    }
    expectMore(false);
    lock.lock();
    if (batch) {
      batchLast->streamNext = first_;
      if (!first_)
        last_ = batchLast;
      first_ = batch;
    }
  }
  owned_ = false;
  bool more = first_ && flushed_ && !scheduled_;
  if (!first_)
    flushed_ = false;
  scheduled_ |= more;
  lock.unlock();
  if (more)
    team->pool().schedule(*self);
}

void CpuStream::progressUntil(WaitCondition done) {
  Pool &pool = lane_->team->pool();
  if ((lane_->team->confined() || !Guest::fits()) && pool.hasThreads())
    return;
  Guest guest;
  lane_->drainUntil(done);
  while (!done() && pool.join(done)) {
  }
}

Status CpuStream::copy(const Region &to, const Region &from) { return Executor(*lane_).copy(to, from); }
Status CpuStream::fill(const Region &to, std::span<const std::byte> pattern) {
  return Executor(*lane_).fill(to, pattern);
}
Status CpuStream::launch(const Launch &launch) { return Executor(*lane_).launch(launch); }

} // namespace kiln::cpu
