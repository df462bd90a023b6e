#include "backends/cpu/driver/CpuStream.h"
#include "backends/cpu/driver/Copy.h"
#include "backends/cpu/driver/CpuLaunch.h"
#include "backends/cpu/driver/FaultReplay.h"
#include "backends/cpu/driver/KernelFpScope.h"
#include "backends/cpu/driver/TimedSpin.h"
#include "base/support/Trace.h"
#include <new>

namespace kiln::cpu {
namespace {

/// Runs the work of operations, on this thread and the allotted ones. Independent of the CpuStream, which may be
/// destroyed before its last operation ends.
class CpuIssuer final : public Issuer {
public:
  explicit CpuIssuer(CpuStreamState &state) : allotment_(state.allotment()) {}
  Status copy(const Region &to, const Region &from) override { return copyRegion(allotment_, to, from); }
  Status fill(const Region &to, std::span<const std::byte> pattern) override {
    return fillRegion(allotment_, to, pattern);
  }
  Status launch(const Launch &launch) override { return runLaunch(allotment_, launch); }
  std::optional<FaultPlace> replay(const Launch &launch, const LaunchFault &fault, uint64_t limit) override {
    return replayFault(launch, fault, limit);
  }
  Result<std::unique_ptr<TimeMark>> markTime() override { return std::make_unique<TimeMark>(nowNanoseconds()); }

private:
  const ThreadAllotment allotment_;
};

// The time between the ends of a thread's short launches and the next enqueue is a few microseconds.
constexpr uint64_t LingerNanoseconds = 20'000;

void run(Operation &operation, CpuIssuer &issuer) {
  if (!operation.needsTimes) {
    Status status = operation.issue(issuer);
    return operation.onEnded(status.code(), 0, 0);
  }
  uint64_t start = nowNanoseconds();
  Status status = operation.issue(issuer);
  operation.onEnded(status.code(), start, nowNanoseconds());
}

} // namespace

/// In the child of a fork, the thread that ran the stream does not exist, and may not have cleared the flags.
void CpuStreamState::adoptAfterFork() KILN_NO_THREAD_SAFETY {
  const uint32_t here = DeviceThreads::forkDepth();
  uint32_t known = forkDepth_.load(std::memory_order_acquire);
  if (known == here) [[likely]]
    return;
  if (known == Entering || !forkDepth_.compare_exchange_strong(known, Entering)) {
    while (forkDepth_.load(std::memory_order_acquire) != here)
      ;
    return;
  }
  new (&mutex_) Mutex;
  isRunning_ = scheduled_ = isAwaited_ = false;
  nextScheduled = nullptr;
  forkDepth_.store(here, std::memory_order_release);
}

void CpuStreamState::submit(Operation &operation) {
  adoptAfterFork();
  Lock lock(mutex_);
  operation.streamNext = nullptr;
  (last_ ? last_->streamNext : first_) = &operation;
  last_ = &operation;
  isAwaited_ = false;
  submitted_.store(submitted_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

ThreadAllotment CpuStreamState::allotment() {
  ThreadAllotment all(threads->pool(), division_);
  if (hints.throttle == HintLevel::Low)
    all.threads = (all.threads + 1) / 2;
  return all;
}

void CpuStreamState::flush() {
  adoptAfterFork();
  {
    Lock lock(mutex_);
    if (!first_ && !isRunning_)
      return;
    flushed_ = true;
    if (isRunning_ || scheduled_)
      return; // the thread that runs it, or will run it, runs everything
    scheduled_ = true;
  }
  threads->pool().schedule(*this);
}

void CpuStreamState::drain() {
  {
    Lock lock(mutex_);
    scheduled_ = false;
  }
  ThreadPool &pool = threads->pool();
  pool.adjustExpected(true); // the application may go on submitting
  do
    runUntil({[](const void *) { return false; }, nullptr});
  while (lingerForMore());
  pool.adjustExpected(false);
}

bool CpuStreamState::lingerForMore() {
  uint32_t seen;
  {
    Lock lock(mutex_);
    // A waiting thread submits nothing. It is woken now, and may get the processor of this thread.
    if (isRunning_ || scheduled_ || isAwaited_ || processorCount() == 1)
      return false;
    scheduled_ = true; // so that a flush needs no other thread
    seen = submitted_.load(std::memory_order_relaxed);
  }
  const ThreadPool &pool = threads->pool();
  spinForTime(LingerNanoseconds,
              [&] { return submitted_.load(std::memory_order_relaxed) != seen || pool.isWorkPending(); });
  Lock lock(mutex_);
  scheduled_ = false;
  return first_ && !isRunning_;
}

void CpuStreamState::setAwaited() {
  Lock lock(mutex_);
  isAwaited_ = true;
}

void CpuStreamState::runUntil(WaitCondition done) {
  adoptAfterFork();
  Ref<CpuStreamState> self(this);
  CpuIssuer issuer(*this);
  Lock lock(mutex_);
  if (isRunning_)
    return;
  isRunning_ = true;
  bool stopped = false, expected = false;
  auto setMoreExpected = [&](bool does) {
    if (does == expected)
      return;
    expected = does;
    threads->pool().adjustExpected(does);
  };
  while (first_ && !stopped) {
    // Takes the whole list, to lock once per batch.
    Operation *batch = std::exchange(first_, nullptr), *batchLast = std::exchange(last_, nullptr);
    lock.unlock();
    while (batch && !(stopped = done())) {
      Operation *operation = batch;
      batch = operation->streamNext; // before it is destroyed
      setMoreExpected(batch);
      run(*operation, issuer);
    }
    setMoreExpected(false);
    lock.lock();
    if (batch) {
      batchLast->streamNext = first_;
      if (!first_)
        last_ = batchLast;
      first_ = batch;
    }
  }
  isRunning_ = false;
  bool more = first_ && flushed_ && !scheduled_;
  if (!first_)
    flushed_ = false;
  scheduled_ |= more;
  lock.unlock();
  if (more)
    threads->pool().schedule(*self);
}

void CpuStream::progressUntil(WaitCondition done) {
  state_->setAwaited();
  ThreadPool &pool = state_->threads->pool();
  if ((state_->threads->confined() || !KernelFpScope::hasKernelStack()) && pool.hasThreads())
    return;
  KernelFpScope fpScope;
  state_->runUntil(done);
  while (!done() && pool.assistJob(done)) {
  }
}

} // namespace kiln::cpu
