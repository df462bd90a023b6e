#include "backends/cpu/driver/LaunchWatch.h"
#include "base/support/Mutex.h"
#include "base/support/Status.h"
#include "base/support/Thread.h"
#include "base/support/Trace.h"
#include <algorithm>
#include <limits>
#include <new>

namespace kiln::cpu {
namespace {

constexpr uint64_t RetryNanoseconds = 1'000'000, LongestSleep = 1'000'000'000;

} // namespace

/// The launches that are watched, and the thread that ends them. Leaked: the thread may run while the process ends.
class LaunchWatcher {
public:
  static LaunchWatcher &get() {
    static LaunchWatcher &watcher = *new LaunchWatcher;
    static constinit ForkHandler startAnew{[] {
      new (&watcher) LaunchWatcher; // the parent's thread does not exist, nor do its other launches
    }};
    onFork(startAnew);
    return watcher;
  }

  void add(LaunchWatch &watch) {
    Lock lock(mutex_);
    watch.next_ = first_;
    if (first_)
      first_->previous_ = &watch;
    first_ = &watch;
    // Without a thread the launch has no limit.
    hasThread_ =
        hasThread_ || startThread("kiln-watcher", [](void *self) { static_cast<LaunchWatcher *>(self)->run(); }, this);
    if (watch.limit_)
      changed_.notifyOne();
  }
  /// The watched launches may have been terminated.
  void look() {
    Lock lock(mutex_);
    ++looks_;
    changed_.notifyOne();
  }
  void remove(LaunchWatch &watch) {
    Lock lock(mutex_);
    (watch.previous_ ? watch.previous_->next_ : first_) = watch.next_;
    if (watch.next_)
      watch.next_->previous_ = watch.previous_;
  }

private:
  [[noreturn]] void run() {
    Lock lock(mutex_);
    while (true) {
      if (!first_)
        changed_.wait(lock, [&]() KILN_NO_THREAD_SAFETY { return first_ != nullptr; });
      const uint64_t looks = looks_, now = nowNanoseconds(), next = endLate(now);
      // A launch that is added meanwhile has the same limit, and so a later deadline.
      changed_.waitFor(lock, std::chrono::nanoseconds(next - now),
                       [&]() KILN_NO_THREAD_SAFETY { return looks_ != looks; });
    }
  }

  /// Returns the time of the next look.
  uint64_t endLate(uint64_t now) KILN_REQUIRES(mutex_) {
    uint64_t next = now + LongestSleep;
    for (LaunchWatch *watch = first_; watch; watch = watch->next_) {
      if (isTerminated(watch->terminated_)) {
        watch->report_.end(text("kernel ", watch->kernel_, ": its context has been terminated"));
      } else if (watch->deadline_ <= now) {
        watch->report_.end(text("kernel ", watch->kernel_, " takes longer than ", watch->limit_ / 1'000'000'000,
                                " s (KILN_LAUNCH_TIMEOUT)"));
      } else {
        next = std::min(next, watch->deadline_);
        continue;
      }
      next = std::min(next, now + RetryNanoseconds);
    }
    return next;
  }

  Mutex mutex_;
  ConditionVariable changed_;
  LaunchWatch *first_ KILN_GUARDED_BY(mutex_) = nullptr;
  bool hasThread_ KILN_GUARDED_BY(mutex_) = false;
  uint64_t looks_ KILN_GUARDED_BY(mutex_) = 0; // that were asked for
};

LaunchWatch::LaunchWatch(fault::Report &report, const std::string &kernel, uint64_t nanoseconds,
                         const std::atomic<bool> *terminated)
    : report_(report), kernel_(kernel), limit_(nanoseconds),
      deadline_(nanoseconds ? nowNanoseconds() + nanoseconds : std::numeric_limits<uint64_t>::max()),
      terminated_(terminated) {
  LaunchWatcher::get().add(*this);
}

LaunchWatch::~LaunchWatch() { LaunchWatcher::get().remove(*this); }

void endTerminatedLaunches() { LaunchWatcher::get().look(); }

} // namespace kiln::cpu
