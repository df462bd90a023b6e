// The threads that run CPU work: whole streams, and the chunks of a job (one operation that is divided). One pool
// serves all CPU devices. Each sub-device has its own, so that its work uses as many threads as it has compute units,
// and only their processors if it was partitioned by affinity.
//
// Threads are started when there is more work than threads, and only if the work is longer than the wake-up. A thread
// without work spins for 20 us before it sleeps if some stream has, or may get, more operations and the machine has a
// processor to spare. Otherwise it sleeps at once: the scheduler may wake the waiting thread on the processor of the
// spinning pool thread. The child of a fork creates new pools (DeviceThreads).
#pragma once
#include "backends/Device.h"
#include "base/support/Futex.h"
#include "base/support/Mutex.h"
#include "base/support/Ref.h"

namespace kiln::cpu {

class CpuStreamState;

/// Work that can be divided: units [0, end), each run once, by any number of threads. Stored on the stack of the thread
/// that calls ThreadPool::run, which returns when all units are done.
struct Job {
  /// Runs a range of units on the calling thread.
  void (*body)(void *context, uint64_t first, uint64_t end);
  /// Allocates what the calling thread needs (its arena). A thread for which it returns false takes no units. May be
  /// null.
  bool (*prepare)(void *context) = nullptr;
  void *context;
  uint64_t end;
  uint64_t chunk = 1; // units per chunk

  // Used by the pool:
  Job *nextJob = nullptr, *previousJob = nullptr;
  std::atomic<uint64_t> next{0};
  std::atomic<uint32_t> helpers{0}; // threads that assist; changed under the pool's lock
  uint32_t maxHelpers = 0;
};

class ThreadPool {
public:
  /// `processors`: those that the threads may run on; empty: any.
  ThreadPool(unsigned size, std::vector<unsigned> processors);

  // Referenced by its DeviceThreads, and by each of its threads until it ends.
  void incRef() { count_.fetch_add(1, std::memory_order_relaxed); }
  void decRef() {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete this;
  }

  /// The maximum number of threads that work at once.
  unsigned size() const { return size_; }
  /// Returns false only if the system could start no thread.
  bool hasThreads() KILN_EXCLUDES(mutex_);
  /// Starts the first thread unless there is one. Returns false if the system cannot.
  bool start() KILN_EXCLUDES(mutex_);
  /// Lets the threads end when they have no work.
  void stop() KILN_EXCLUDES(mutex_);

  /// Queues the stream for a thread. Runs it on the calling thread if the system could start none.
  void schedule(CpuStreamState &stream) noexcept KILN_EXCLUDES(mutex_);
  /// Changes the number of running streams that have, or may get, more operations: adds 1 or subtracts 1.
  void adjustExpected(bool increment) { expected_.fetch_add(increment ? 1 : -1, std::memory_order_relaxed); }
  /// Runs all units of the job, with up to `helpers` other threads, which are woken if they sleep.
  void run(Job &job, unsigned helpers) noexcept KILN_EXCLUDES(mutex_);
  /// Runs chunks of another thread's job until no unit is left or `done` is true. Returns false if no job needs a
  /// helper, or if Job::prepare fails.
  bool assistJob(WaitCondition done) noexcept KILN_EXCLUDES(mutex_);

private:
  ~ThreadPool();
  /// Starts one more thread. Returns false at the maximum, or if the system cannot.
  bool addThread() noexcept KILN_EXCLUDES(mutex_);
  void work() noexcept;
  void idle();
  void wake(unsigned threads) KILN_EXCLUDES(mutex_);
  /// Removes and returns the first stream of the list, or null. `more`: the list is not empty after that.
  Ref<CpuStreamState> takeStream(bool &more) KILN_EXCLUDES(mutex_);
  bool hasWork() KILN_EXCLUDES(mutex_);
  bool isMoreExpected() const { return expected_.load(std::memory_order_relaxed) > 0; }
  static void runChunks(Job &job, WaitCondition done);

  const unsigned size_, maxSpinners_;
  const std::vector<unsigned> processors_;
  std::atomic<uint32_t> count_{0};
  Mutex mutex_;
  // Intrusive lists: adding cannot fail.
  CpuStreamState *firstStream_ KILN_GUARDED_BY(mutex_) = nullptr; // holds references; by priority, then by time
  Job *firstJob_ KILN_GUARDED_BY(mutex_) = nullptr;
  unsigned started_ KILN_GUARDED_BY(mutex_) = 0;
  bool refused_ KILN_GUARDED_BY(mutex_) = false;
  bool stopped_ KILN_GUARDED_BY(mutex_) = false;
  ConditionVariable jobLeft_;

  std::atomic<uint32_t> epoch_{0}; // incremented by every wake-up
  std::atomic<uint32_t> spinning_{0}, sleeping_{0};
  std::atomic<int32_t> expected_{0}; // running streams that have more operations
};

} // namespace kiln::cpu
