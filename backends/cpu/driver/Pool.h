// The threads that run CPU work: whole lanes (a stream's list of operations), and shares of a job (one operation that
// is large enough to be divided). One pool a process, for all CPU devices.
//
// Threads are started when there is more work than threads, and then only as many as it is worth: waking a thread costs
// more than many a launch. A thread that runs out of work looks for more for some microseconds before it sleeps, on
// machines where that takes nobody's processor. The child of a fork builds a pool of its own.
#pragma once
#include "backends/Device.h"
#include "runtime/support/Futex.h"
#include "runtime/support/Mutex.h"
#include "runtime/support/Ref.h"

namespace kiln::cpu {

class Lane;

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

class Pool {
public:
  static Pool &get();

  /// Threads that may work at once.
  unsigned size() const { return size_; }
  /// False only where the system gave no thread at all.
  bool hasThreads() KILN_EXCLUDES(mutex_);

  /// Somebody drains the lane: the caller, where the system has given no thread at all.
  void schedule(Lane &lane) noexcept KILN_EXCLUDES(mutex_);
  /// Does all of the job, with up to `helpers` other threads, which are woken if they sleep.
  void run(Job &job, unsigned helpers) noexcept KILN_EXCLUDES(mutex_);
  /// The calling thread takes part in a job that is under way, until that or what it waits for is done; false when
  /// there is no job.
  bool join(Done done) noexcept KILN_EXCLUDES(mutex_);

private:
  explicit Pool(unsigned size);
  void work() noexcept;
  void idle();
  void wake(unsigned threads) KILN_EXCLUDES(mutex_);
  /// The lane that has waited longest; null without one.
  Ref<Lane> takeLane(bool &more) KILN_EXCLUDES(mutex_);
  bool anythingToDo() KILN_EXCLUDES(mutex_);
  static void share(Job &job, Done done);

  const unsigned size_, maxSpinners_;
  Mutex mutex_;
  // Lists through what they hold: adding to one cannot fail.
  Lane *firstLane_ KILN_GUARDED_BY(mutex_) = nullptr, *lastLane_ KILN_GUARDED_BY(mutex_) = nullptr; // held
  Job *firstJob_ KILN_GUARDED_BY(mutex_) = nullptr;
  unsigned started_ KILN_GUARDED_BY(mutex_) = 0;
  bool refused_ KILN_GUARDED_BY(mutex_) = false;
  Condition jobLeft_;

  std::atomic<uint32_t> epoch_{0}; // moves with every wake
  std::atomic<uint32_t> spinning_{0}, sleeping_{0};
};

} // namespace kiln::cpu
