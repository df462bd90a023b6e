// Kiln's own threads: none sees the application's signals, none inherits its rounding mode, and none exists before it
// has something to do.
#pragma once
#include "runtime/support/Mutex.h"
#include <atomic>
#include <deque>
#include <functional>
#include <span>

namespace kiln {

/// Starts a detached thread; false when the system refuses. `name` shows in debuggers, 15 characters at most. With
/// `processors`, by the system's numbers, it runs nowhere else.
bool startThread(const char *name, std::function<void()> body, size_t stackBytes = 0,
                 std::span<const unsigned> processors = {});

/// What is run in the child of a fork: what the parent's threads were about is forgotten there. Static and constinit.
struct ForkHandler {
  void (*const run)();
  std::atomic<bool> listed{false};
  ForkHandler *next = nullptr;
};
/// Lists the handler, if it is not. Takes no lock: one that another thread holds while the process forks is never
/// released in the child.
void onFork(ForkHandler &handler);
/// Has the listed handlers run from now on. Once, before there are threads of ours.
void watchForks();

/// Runs functions in the background, first come first served, on up to `threads` threads that end after being idle for
/// a while. Leaked by its users: functions may still run while the process ends.
class Background {
public:
  Background(const char *name, unsigned threads) : name_(name), threads_(threads) {}
  /// Where the system refuses a thread, the function waits for a later call that gets one.
  void run(std::function<void()> function) KILN_EXCLUDES(mutex_);

private:
  void work();

  const char *const name_;
  const unsigned threads_;
  Mutex mutex_;
  Condition wake_;
  std::deque<std::function<void()>> waiting_ KILN_GUARDED_BY(mutex_);
  unsigned running_ KILN_GUARDED_BY(mutex_) = 0;
  unsigned idle_ KILN_GUARDED_BY(mutex_) = 0;
};

/// Where the application's callbacks run, one after the other: never on a thread that is inside a call of the
/// application, which may hold a lock that the callback takes.
Background &callbackThread();
/// Where programs are built that nobody waits for.
Background &buildThreads();

} // namespace kiln
