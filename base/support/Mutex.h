// Locks with annotations for clang's -Wthread-safety. runtime/queue/README.md lists the lock order.
//
// A launch takes about six uncontended locks, so lock and unlock are one atomic instruction each. The C library's mutex
// needs two calls and records its owner; with it, locking was a quarter of a launch.
#pragma once
#include "base/support/Futex.h"
#include "base/support/LockOrder.h"
#include <chrono>

#if defined(__clang__)
#define KILN_ANNOTATE(x) __attribute__((x))
#else
#define KILN_ANNOTATE(x)
#endif
#define KILN_GUARDED_BY(mutex) KILN_ANNOTATE(guarded_by(mutex))
#define KILN_REQUIRES(...) KILN_ANNOTATE(requires_capability(__VA_ARGS__))
#define KILN_EXCLUDES(...) KILN_ANNOTATE(locks_excluded(__VA_ARGS__))
#define KILN_NO_THREAD_SAFETY KILN_ANNOTATE(no_thread_safety_analysis)

namespace kiln {

class KILN_ANNOTATE(capability("mutex")) Mutex {
public:
  Mutex() = default;
  Mutex(const Mutex &) = delete;
#ifdef KILN_CHECKS_LOCK_ORDER
  ~Mutex() { lock_order::destroyed(this); }
#endif
  void lock() KILN_ANNOTATE(acquire_capability()) KILN_NO_THREAD_SAFETY {
    lock_order::beforeLock(this);
    if (!acquire())
      acquireSlowPath();
    lock_order::afterLock(this);
  }
  void unlock() KILN_ANNOTATE(release_capability()) KILN_NO_THREAD_SAFETY {
    lock_order::beforeUnlock(this);
    if (state_.exchange(Free, std::memory_order_release) == Waited)
      futexWake(state_, 1);
    lock_order::afterUnlock(this);
  }
  bool tryLock() KILN_ANNOTATE(try_acquire_capability(true)) KILN_NO_THREAD_SAFETY {
    lock_order::beforeTryLock(this);
    const bool locked = acquire();
    lock_order::afterTryLock(this, locked);
    return locked;
  }

private:
  enum : uint32_t { Free, Held, Waited };
  bool acquire() {
    uint32_t state = Free;
    return state_.compare_exchange_strong(state, Held, std::memory_order_acquire, std::memory_order_relaxed);
  }
  void acquireSlowPath();
  std::atomic<uint32_t> state_{Free};
};

/// Holds a mutex for a scope. May unlock and lock it in between.
class KILN_ANNOTATE(scoped_lockable) Lock {
public:
  explicit Lock(Mutex &mutex) KILN_ANNOTATE(acquire_capability(mutex)) : mutex_(mutex) { mutex_.lock(); }
  ~Lock() KILN_ANNOTATE(release_capability()) {
    if (held_)
      mutex_.unlock();
  }
  Lock(const Lock &) = delete;
  void unlock() KILN_ANNOTATE(release_capability()) {
    held_ = false;
    mutex_.unlock();
  }
  void lock() KILN_ANNOTATE(acquire_capability()) {
    mutex_.lock();
    held_ = true;
  }

private:
  Mutex &mutex_;
  bool held_ = true;
};

/// Every wait has a predicate, which is called with the lock held; annotate it with KILN_REQUIRES.
class ConditionVariable {
public:
  template <typename Done> void wait(Lock &lock, Done done) KILN_NO_THREAD_SAFETY {
    while (!done())
      sleep(lock, nullptr);
  }
  /// Returns false if `done` is not true after `time`.
  template <typename Done> bool waitFor(Lock &lock, std::chrono::nanoseconds time, Done done) KILN_NO_THREAD_SAFETY {
    for (const auto end = std::chrono::steady_clock::now() + time; !done();) {
      std::chrono::nanoseconds left = end - std::chrono::steady_clock::now();
      if (left.count() <= 0)
        return false;
      sleep(lock, &left);
    }
    return true;
  }
  void notifyOne() { notify(1); }
  void notifyAll() { notify(1 << 30); }

private:
  void sleep(Lock &lock, const std::chrono::nanoseconds *longest) KILN_NO_THREAD_SAFETY;
  void notify(int threads);
  std::atomic<uint32_t> notes_{0}, sleepers_{0};
};

} // namespace kiln
