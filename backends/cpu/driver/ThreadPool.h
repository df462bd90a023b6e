// The threads that run CPU work: whole lanes (a stream's list of operations), and shares of a job (one operation that
// is large enough to be divided). One pool serves all CPU devices; each sub-device has one of its own, so that its work
// stays on as many threads as it has units, and on their processors where it was made by affinity.
//
// Threads are started when there is more work than threads, and then only as many as it is worth: waking a thread costs
// more than many a launch. Where a lane has more to come, a thread that runs out of work looks for it for some
// microseconds before it sleeps, on machines where that takes nobody's processor. Otherwise it sleeps at once: whoever
// waits for the work is woken about then, and might be put on its processor. The child of a fork builds pools of its
// own (Team).
#pragma once
#include "backends/Device.h"
#include "runtime/support/Futex.h"
#include "runtime/support/Mutex.h"
#include "runtime/support/Ref.h"

namespace kiln::cpu {

class CpuStreamState;

/// Work that can be divided: units [0, end), each done once, on as many threads as take part. Lies on the stack of the
/// thread that brought it, which returns from Pool::run when all is done.
struct Job {
  /// Runs a range of units on the calling thread.
  void (*body)(void *context, uint64_t first, uint64_t end);
  /// Whether the calling thread has what it needs (arenas); a thread that has not stays away. May be null.
  bool (*prepare)(void *context) = nullptr;
  void *context;
  uint64_t end;
  uint64_t chunk = 1; // units taken at once

  // The pool's:
  Job *nextJob = nullptr, *previousJob = nullptr;
  std::atomic<uint64_t> next{0};
  std::atomic<uint32_t> helpers{0}; // threads in it but its owner; changes under the pool's lock
  uint32_t maxHelpers = 0;
};

class ThreadPool {
public:
  /// `processors` are what its threads may run on; none means wherever the system puts them.
  ThreadPool(unsigned size, std::vector<unsigned> processors);

  // Held by its team, and by each of its threads until they end.
  void hold() { count_.fetch_add(1, std::memory_order_relaxed); }
  void drop() {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete this;
  }

  /// Threads that may work at once.
  unsigned size() const { return size_; }
  /// False only where the system gave no thread at all.
  bool hasThreads() KILN_EXCLUDES(mutex_);
  /// Has a first thread, unless there is one; false where the system gives none.
  bool start() KILN_EXCLUDES(mutex_);
  /// Its threads end when they have nothing to do.
  void stop() KILN_EXCLUDES(mutex_);

  /// Somebody drains the lane: the caller, where the system has given no thread at all.
  void schedule(CpuStreamState &stream) noexcept KILN_EXCLUDES(mutex_);
  /// A lane that is being run has, or may get, more behind what it runs now; or has not any longer.
  void setMoreExpected(bool does) { expected_.fetch_add(does ? 1 : -1, std::memory_order_relaxed); }
  /// Does all of the job, with up to `helpers` other threads, which are woken if they sleep.
  void run(Job &job, unsigned helpers) noexcept KILN_EXCLUDES(mutex_);
  /// The calling thread takes part in a job that is under way, until that or what it waits for is done; false when
  /// there is no job.
  bool assistJob(WaitCondition done) noexcept KILN_EXCLUDES(mutex_);

private:
  ~ThreadPool();
  /// One more thread; false when there are enough, or the system refuses.
  bool addThread() noexcept KILN_EXCLUDES(mutex_);
  void work() noexcept;
  void idle();
  void wake(unsigned threads) KILN_EXCLUDES(mutex_);
  /// The first lane; null without one.
  Ref<CpuStreamState> takeStream(bool &more) KILN_EXCLUDES(mutex_);
  bool anythingToDo() KILN_EXCLUDES(mutex_);
  bool isMoreExpected() const { return expected_.load(std::memory_order_relaxed) > 0; }
  static void runChunks(Job &job, WaitCondition done);

  const unsigned size_, maxSpinners_;
  const std::vector<unsigned> processors_;
  std::atomic<uint32_t> count_{0};
  Mutex mutex_;
  // Lists through what they hold: adding to one cannot fail.
  CpuStreamState *firstStream_ KILN_GUARDED_BY(mutex_) = nullptr; // held; the most urgent first, then who came first
  Job *firstJob_ KILN_GUARDED_BY(mutex_) = nullptr;
  unsigned started_ KILN_GUARDED_BY(mutex_) = 0;
  bool refused_ KILN_GUARDED_BY(mutex_) = false;
  bool stopped_ KILN_GUARDED_BY(mutex_) = false;
  Condition jobLeft_;

  std::atomic<uint32_t> epoch_{0}; // moves with every wake
  std::atomic<uint32_t> spinning_{0}, sleeping_{0};
  std::atomic<int32_t> expected_{0}; // lanes that have more
};

} // namespace kiln::cpu
