// A stream of the CPU: a list of operations that one thread at a time runs, in order. That thread comes from the team's
// pool, or is one of the application's that waits for an operation of the lane; but not where the team is confined.
#pragma once
#include "backends/Device.h"
#include "backends/cpu/driver/DeviceThreads.h"
#include "runtime/support/Mutex.h"
#include "runtime/support/Ref.h"

namespace kiln::cpu {

/// The list. Outlives the stream where a thread that runs it ends the queue that owns the stream.
class CpuStreamState {
public:
  CpuStreamState(std::shared_ptr<DeviceThreads> threads, QueueHints hints)
      : threads(std::move(threads)), hints(hints) {}

  const std::shared_ptr<DeviceThreads> threads;
  const QueueHints hints;

  void hold() { count_.fetch_add(1, std::memory_order_relaxed); }
  void drop() {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete this;
  }

  void submit(Operation &operation) KILN_EXCLUDES(mutex_);
  void flush() KILN_EXCLUDES(mutex_);
  /// Runs what is there, unless another thread does.
  void runUntil(WaitCondition done) KILN_EXCLUDES(mutex_);
  /// For the pool, which has taken the lane off its list: runs all of it.
  void drain() KILN_EXCLUDES(mutex_);

  CpuStreamState *nextScheduled = nullptr; // the pool's; a lane is scheduled once at a time

private:
  void adoptAfterFork();

  static constexpr uint32_t Entering = ~uint32_t(0);
  std::atomic<uint32_t> count_{0};
  std::atomic<uint32_t> process_{DeviceThreads::process()}; // whose threads the flags speak of
  Mutex mutex_;
  Operation *first_ KILN_GUARDED_BY(mutex_) = nullptr;
  Operation *last_ KILN_GUARDED_BY(mutex_) = nullptr;
  bool isRunning_ KILN_GUARDED_BY(mutex_) = false; // a thread runs it
  bool flushed_ KILN_GUARDED_BY(mutex_) = false;   // what is there must run without further calls
  bool scheduled_ KILN_GUARDED_BY(mutex_) = false; // it is on the pool's list
};

class CpuStream final : public Stream {
public:
  CpuStream(std::shared_ptr<DeviceThreads> threads, QueueHints hints)
      : state_(new CpuStreamState(std::move(threads), hints)) {
    state_->threads->pool(); // so that it is there when nobody could be told that it is not
  }
  void submit(Operation &operation) override { state_->submit(operation); }
  void flush() override { state_->flush(); }
  void progressUntil(WaitCondition done) override;

  Status copy(const Region &to, const Region &from) override;
  Status fill(const Region &to, std::span<const std::byte> pattern) override;
  Status launch(const Launch &launch) override;

private:
  const Ref<CpuStreamState> state_;
};

} // namespace kiln::cpu
