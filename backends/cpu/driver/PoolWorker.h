// A thread of a pool as other threads see it: what it does, in one word on a separate cache line. So a launch that is
// divided reaches each of its helpers by one store, and finds each end by one load, without a lock and without a line
// that all of them write.
//
//                      invite                takeOrder                becomeIdle
//     Idle, Asleep  ------------>  invited  ---------->  helping  --------------->  Idle
//          |  ^                       |
//   summon |  | becomeIdle            | collect, if the thread has not joined
//          v  |                       v
//          Busy                      Idle
//
// `invited` and `helping` name the job. Only the thread that leads the job invites and collects.
#pragma once
#include "base/support/Futex.h"
#include <cstdint>

namespace kiln::cpu {

struct Job;
class ThreadPool;

/// Two cache lines, because Intel's processors fetch lines in pairs.
inline constexpr size_t WorkerAlignment = 128;

class alignas(WorkerAlignment) PoolWorker {
public:
  // Set by the pool.
  ThreadPool *pool = nullptr;
  unsigned number = 0;

  // ---- for the threads that have work ----

  /// What the thread did that now has work. None: it has other work, or it sleeps and is not woken, or was not started.
  enum class Was { None, Idle, Asleep };
  /// Lets a thread that is idle, or asleep if `wakes` is true, help with the job.
  Was invite(Job &job, bool wakes) noexcept { return claim(invited(job), wakes); }
  /// Lets such a thread look for work.
  Was summon(bool wakes) noexcept { return claim(Busy, wakes); }
  /// The thread is about to be started, for a job or to look for work (null). Returns false if it was started before.
  bool claimStart(Job *job) noexcept {
    uintptr_t seen = NotStarted;
    return state_.compare_exchange_strong(seen, job ? invited(*job) : Busy, std::memory_order_acq_rel);
  }
  /// The system could not start the thread.
  void cancelStart() noexcept { state_.store(NotStarted, std::memory_order_release); }

  /// Ends an invitation: the thread will not join any more. Returns false if it has joined.
  bool revoke(const Job &job) noexcept {
    uintptr_t seen = invited(job);
    return state_.load(std::memory_order_relaxed) == seen &&
           state_.compare_exchange_strong(seen, Idle, std::memory_order_acq_rel);
  }
  /// Returns true from the `takeOrder` of this job to the next `becomeIdle`.
  bool isHelping(const Job &job) const noexcept { return state_.load(std::memory_order_seq_cst) == (invited(job) | 1); }
  /// Nanoseconds that the thread took for the last job that it joined. Once it does not help any more.
  uint64_t helped() const noexcept { return helped_.load(std::memory_order_relaxed); }

  // ---- for the thread itself ----

  /// What the thread has to do.
  struct Order {
    Job *job;          // help with this job, of which the thread is a helper now; or null
    bool looksForWork; // look for other work
  };
  /// Neither, if the thread is idle: it was not invited or summoned, or the invitation was revoked.
  Order takeOrder() noexcept {
    uintptr_t seen = state_.load(std::memory_order_acquire);
    if (seen <= Busy)
      return {nullptr, seen == Busy};
    const bool joins = state_.compare_exchange_strong(seen, seen | 1, std::memory_order_acq_rel);
    return {joins ? reinterpret_cast<Job *>(seen) : nullptr, false};
  }
  void setHelped(uint64_t nanoseconds) noexcept { helped_.store(nanoseconds, std::memory_order_relaxed); }
  /// After that, the thread accesses no job. Sequentially consistent, as are `fallAsleep` and the loads by which the
  /// thread looks for work after either: it finds new work, or the thread that has the work finds it idle or asleep.
  void becomeIdle() noexcept { state_.store(Idle, std::memory_order_seq_cst); }
  bool isIdle() const noexcept { return state_.load(std::memory_order_relaxed) == Idle; }
  /// Returns false if the thread was invited or summoned meanwhile.
  bool fallAsleep() noexcept {
    uintptr_t seen = Idle;
    return state_.compare_exchange_strong(seen, Asleep, std::memory_order_seq_cst);
  }
  /// From idle or asleep. Returns false if the thread was invited or summoned meanwhile.
  bool becomeBusy() noexcept {
    uintptr_t seen = state_.load(std::memory_order_relaxed);
    return (seen == Idle || seen == Asleep) && state_.compare_exchange_strong(seen, Busy, std::memory_order_acq_rel);
  }
  /// Sleeps until another thread has work for this one.
  void sleep() noexcept {
    for (;;) {
      const uint32_t seen = wakeUps_.load(std::memory_order_seq_cst);
      if (state_.load(std::memory_order_acquire) != Asleep)
        return;
      futexWait(wakeUps_, seen);
    }
  }

private:
  enum : uintptr_t { NotStarted, Idle, Asleep, Busy };
  static uintptr_t invited(const Job &job) { return reinterpret_cast<uintptr_t>(&job); }

  Was claim(uintptr_t state, bool wakes) noexcept {
    uintptr_t seen = state_.load(std::memory_order_seq_cst);
    if (seen != Idle && (seen != Asleep || !wakes))
      return Was::None;
    if (!state_.compare_exchange_strong(seen, state, std::memory_order_acq_rel))
      return Was::None;
    if (seen == Idle)
      return Was::Idle;
    wakeUps_.fetch_add(1, std::memory_order_seq_cst);
    futexWake(wakeUps_, 1);
    return Was::Asleep;
  }

  std::atomic<uintptr_t> state_{NotStarted}; // or the address of a job; plus 1 if the thread helps with it
  std::atomic<uint64_t> helped_{0};
  std::atomic<uint32_t> wakeUps_{0}; // incremented when the thread is woken
};

} // namespace kiln::cpu
