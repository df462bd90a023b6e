// The threads that run CPU work: whole streams, and parts of a job (one operation that is divided). One pool serves all
// CPU devices. Each sub-device has its own, so that its work uses as many threads as it has compute units, and only
// their processors if it was partitioned by affinity.
//
// A job is divided into one part per thread, and each part into chunks. A thread starts with the part of its number, so
// that in a sequence of launches over the same data each core finds its part in its caches, and on its memory node. It
// then claims chunks of the other parts. So work-groups of unequal length, or a thread that comes late or never, delay
// a job by one chunk at most.
//
// The thread that runs an operation leads its job: it invites idle threads (PoolWorker.h) and waits for those that
// came. Threads are started when there is more work than threads. A thread without work spins for 20 us before it
// sleeps if some stream has, or may get, more operations, or if an application's thread led its last job, and may lead
// another one soon. One processor is left without a spinning thread. Otherwise a thread sleeps at once: the scheduler
// may wake the waiting thread on the processor of the spinning pool thread. The child of a fork creates new pools
// (DeviceThreads).
#pragma once
#include "backends/Device.h"
#include "backends/cpu/driver/PoolWorker.h"
#include "base/support/Mutex.h"
#include "base/support/Ref.h"
#include <bitset>
#include <memory>
#include <span>

namespace kiln::cpu {

class CpuStreamState;

/// Threads with higher numbers are not invited to jobs.
inline constexpr unsigned MaxInvited = 1024;

/// A part of a job's units.
struct alignas(WorkerAlignment) JobPart {
  std::atomic<uint64_t> next{0}; // the first unit that no thread has claimed; at least `end` if there is none
  uint64_t end = 0;
};

/// Work that can be divided: units [0, end), each run once, by any number of threads. Stored on the stack of the thread
/// that calls ThreadPool::run, which returns when all units are done.
struct alignas(64) Job {
  /// Runs a range of units on the calling thread.
  void (*body)(void *context, uint64_t first, uint64_t end);
  /// Allocates what the calling thread needs (its arena). A thread for which it returns false takes no units. May be
  /// null.
  bool (*prepare)(void *context) = nullptr;
  void *context;
  uint64_t end;
  uint64_t chunk = 1; // units per chunk

  // Used by the pool:
  std::span<JobPart> parts{};
  std::bitset<MaxInvited> invited{}; // numbers of threads
  bool isLedByApplication = false;
  // Of a job that needs more threads than were idle; changed under the pool's lock.
  Job *nextJob = nullptr, *previousJob = nullptr; // in the list of such jobs
  std::atomic<uint32_t> lateHelpers{0};           // threads that found it in the list
  uint32_t maxLateHelpers = 0;
  uint64_t lateNanoseconds = 0; // that these threads took
};

/// The threads that a job may have besides the one that leads it.
struct Helpers {
  unsigned most = 0;
  unsigned wakes = 0; // of these, the most that are asleep, or are not started, before
};

/// What a job took.
struct JobTimes {
  uint64_t busy = 0;              // nanoseconds of all threads
  uint64_t own = 0, ownUnits = 0; // of the thread that led it
  unsigned woken = 0;             // threads that were asleep, or not started
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

  /// Returns true if the calling thread is not one of a pool.
  static bool isCalledByApplication() noexcept;
  /// The maximum number of threads that work at once.
  unsigned size() const { return size_; }
  /// The threads that do not sleep, without the calling one.
  unsigned awakeOthers() const;
  /// Returns false only if the system could start no thread.
  bool hasThreads() const { return started_.load() || !refused_.load(); }
  /// Starts the first thread unless there is one. Returns false if the system cannot.
  bool start();
  /// Lets the threads end when they have no work.
  void stop() KILN_EXCLUDES(mutex_);

  /// Queues the stream for a thread. Runs it on the calling thread if the system could start none.
  void schedule(CpuStreamState &stream) noexcept KILN_EXCLUDES(mutex_);
  /// Changes the number of running streams that have, or may get, more operations: adds 1 or subtracts 1.
  void adjustExpected(bool increment) { expected_.fetch_add(increment ? 1 : -1, std::memory_order_relaxed); }
  /// Returns true if a stream, or a job that needs more threads, waits for one.
  bool isWorkPending() const { return pending_.load(std::memory_order_relaxed) != 0; }
  /// Runs all units of the job. `parts`: room for size() parts, which no other job uses meanwhile.
  JobTimes run(Job &job, std::span<JobPart> parts, Helpers helpers) noexcept KILN_EXCLUDES(mutex_);
  /// Runs chunks of another thread's job until no unit is left or `done` is true. Returns false if no job needs a
  /// helper, or if Job::prepare fails.
  bool assistJob(WaitCondition done) noexcept KILN_EXCLUDES(mutex_);

private:
  ~ThreadPool();
  /// Starts a thread that PoolWorker::claimStart has claimed. Returns false if the system cannot.
  bool startWorker(PoolWorker &worker) noexcept;
  /// Gives one thread the order to look for work: an idle one if there is one.
  void summonWorker() noexcept;
  /// Invites up to `missing` threads, and subtracts their number. Returns the number of those that it woke or started.
  unsigned invite(Job &job, Helpers helpers, unsigned &missing) noexcept;
  /// Waits until no invited thread accesses the job. Returns the nanoseconds that they took.
  uint64_t collect(Job &job) noexcept;
  void work(PoolWorker &self) noexcept;
  void help(PoolWorker &self, Job &job) noexcept;
  /// Waits until the thread is invited or summoned. `spins`: for a time even if no stream is expected to have more.
  void await(PoolWorker &self, bool spins) noexcept;
  /// Removes and returns the first stream of the list, or null.
  Ref<CpuStreamState> takeStream() KILN_EXCLUDES(mutex_);
  /// Returns true if there is work besides invitations, or the pool is stopped.
  bool hasWork() KILN_EXCLUDES(mutex_);
  bool isStopped() KILN_EXCLUDES(mutex_);
  /// Lets up to `most` threads find the job that become idle, or wait, before `unlist`.
  void list(Job &job, unsigned most) noexcept KILN_EXCLUDES(mutex_);
  /// Waits until no such thread accesses the job. Returns the nanoseconds that they took.
  uint64_t unlist(Job &job) noexcept KILN_EXCLUDES(mutex_);
  bool isMoreExpected() const { return expected_.load(std::memory_order_relaxed) > 0; }
  /// Returns the number of units that the calling thread ran.
  uint64_t runChunks(Job &job, WaitCondition done) const;

  const unsigned size_, spinners_;
  const std::vector<unsigned> processors_;
  const std::unique_ptr<PoolWorker[]> workers_;
  std::atomic<uint32_t> count_{0};
  std::atomic<uint32_t> started_{0}, awake_{0};
  std::atomic<bool> refused_{false};
  std::atomic<int32_t> expected_{0}; // running streams that have more operations
  std::atomic<uint32_t> pending_{0}; // entries of both lists, plus one when the pool is stopped
  WaitQueue leaders_;                // threads that wait for the last chunks of their jobs, on `ends_`
  std::atomic<uint32_t> ends_{0};    // incremented by helpers that leave, if a leader sleeps

  Mutex mutex_;
  // Intrusive lists: adding cannot fail.
  CpuStreamState *firstStream_ KILN_GUARDED_BY(mutex_) = nullptr; // holds references; by priority, then by time
  Job *firstJob_ KILN_GUARDED_BY(mutex_) = nullptr;               // those that need more threads
  bool stopped_ KILN_GUARDED_BY(mutex_) = false;
  ConditionVariable jobLeft_;
};

} // namespace kiln::cpu
