// std::mutex and std::condition_variable with the annotations that clang's -Wthread-safety proves. Which lock may be
// taken inside which is written in runtime/queue/README.md.
#pragma once
#include <condition_variable>
#include <mutex>

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
  void lock() KILN_ANNOTATE(acquire_capability()) { mutex_.lock(); }
  void unlock() KILN_ANNOTATE(release_capability()) { mutex_.unlock(); }
  bool tryLock() KILN_ANNOTATE(try_acquire_capability(true)) { return mutex_.try_lock(); }

private:
  friend class Lock;
  std::mutex mutex_;
};

/// Holds a mutex for a scope; may let go of it and take it again in between.
class KILN_ANNOTATE(scoped_lockable) Lock {
public:
  explicit Lock(Mutex &mutex) KILN_ANNOTATE(acquire_capability(mutex)) : lock_(mutex.mutex_) {}
  ~Lock() KILN_ANNOTATE(release_capability()) {}
  void unlock() KILN_ANNOTATE(release_capability()) { lock_.unlock(); }
  void lock() KILN_ANNOTATE(acquire_capability()) { lock_.lock(); }

private:
  friend class Condition;
  std::unique_lock<std::mutex> lock_;
};

/// Every wait has a predicate. The predicate runs with the lock held; annotate it with KILN_REQUIRES.
class Condition {
public:
  template <typename Done> void wait(Lock &lock, Done done) { condition_.wait(lock.lock_, done); }
  template <typename Duration, typename Done> bool waitFor(Lock &lock, Duration duration, Done done) {
    return condition_.wait_for(lock.lock_, duration, done);
  }
  void notifyOne() { condition_.notify_one(); }
  void notifyAll() { condition_.notify_all(); }

private:
  std::condition_variable condition_;
};

} // namespace kiln
