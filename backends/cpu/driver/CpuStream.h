// A stream of the CPU: a list of operations that one thread at a time runs, in order. That thread is one of the pool's,
// or an application's thread that waits for an operation of the stream, unless the device is confined.
#pragma once
#include "backends/Device.h"
#include "backends/cpu/driver/DeviceThreads.h"
#include "base/support/Mutex.h"
#include "base/support/Ref.h"

namespace kiln::cpu {

/// The list of operations. Outlives the stream if a thread that runs it destroys the queue that owns the stream.
class CpuStreamState {
public:
  CpuStreamState(std::shared_ptr<DeviceThreads> threads, QueueHints hints)
      : threads(std::move(threads)), hints(hints), division_(this->threads->pool()) {}

  const std::shared_ptr<DeviceThreads> threads;
  const QueueHints hints;

  void incRef() { count_.fetch_add(1, std::memory_order_relaxed); }
  void decRef() {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete this;
  }

  void submit(Operation &operation) KILN_EXCLUDES(mutex_);
  void flush() KILN_EXCLUDES(mutex_);
  /// Runs operations until `done` or the list is empty. Returns at once if another thread runs the stream.
  void runUntil(WaitCondition done) KILN_EXCLUDES(mutex_);
  /// A thread waits for operations of the stream.
  void setAwaited() KILN_EXCLUDES(mutex_);
  /// Runs all operations. Called by the pool, which has removed the stream from its list.
  void drain() KILN_EXCLUDES(mutex_);
  /// What operations use that the calling thread runs for the stream.
  ThreadAllotment allotment();

  CpuStreamState *nextScheduled = nullptr; // used by the pool; a stream is in its list at most once

private:
  void adoptAfterFork();
  /// After all operations have run: lets the calling pool thread wait for more for a short time, if the application is
  /// expected to submit more. Returns true if there are.
  bool lingerForMore() KILN_EXCLUDES(mutex_);

  static constexpr uint32_t Entering = ~uint32_t(0);
  std::atomic<uint32_t> count_{0};
  std::atomic<uint32_t> forkDepth_{DeviceThreads::forkDepth()}; // the process that the flags are valid for
  Mutex mutex_;
  Operation *first_ KILN_GUARDED_BY(mutex_) = nullptr;
  Operation *last_ KILN_GUARDED_BY(mutex_) = nullptr;
  bool isRunning_ KILN_GUARDED_BY(mutex_) = false; // a thread runs it
  bool flushed_ KILN_GUARDED_BY(mutex_) = false;   // its operations must run without further calls
  bool scheduled_ KILN_GUARDED_BY(mutex_) = false; // in the pool's list, or a pool thread lingers
  bool isAwaited_ KILN_GUARDED_BY(mutex_) = false; // a thread has waited since the last operation was submitted
  std::atomic<uint32_t> submitted_{0};             // operations; changed under the lock
  StreamDivision division_;                        // of the thread that runs the stream
};

class CpuStream final : public Stream {
public:
  CpuStream(std::shared_ptr<DeviceThreads> threads, QueueHints hints)
      : state_(new CpuStreamState(std::move(threads), hints)) {} // with the pool: submit and flush cannot fail
  void submit(Operation &operation) override { state_->submit(operation); }
  void flush() override { state_->flush(); }
  void progressUntil(WaitCondition done) override;

private:
  const Ref<CpuStreamState> state_;
};

} // namespace kiln::cpu
