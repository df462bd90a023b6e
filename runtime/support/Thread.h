// Kiln's own threads: none sees the application's signals, none inherits its rounding mode, and none exists before it
// has something to do.
#pragma once
#include "runtime/support/Mutex.h"
#include <atomic>
#include <memory>
#include <new>
#include <span>

namespace kiln {

/// Starts a detached thread that calls `body(argument)`; false when the system refuses, or has no memory for it. `name`
/// shows in debuggers, 15 characters at most. With `processors`, by the system's numbers, it runs nowhere else.
bool startThread(const char *name, void (*body)(void *), void *argument, size_t stackBytes = 0,
                 std::span<const unsigned> processors = {}) noexcept;

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
void installForkHandlers();

/// What runs in the background. Whoever wants it made it beforehand, when failing was still possible.
class Task {
public:
  virtual ~Task() = default;
  virtual void run() noexcept = 0;

private:
  friend class BackgroundThreads;
  std::unique_ptr<Task> next_;
};

/// Runs tasks in the background, first come first served, on up to `threads` threads that end after being idle for a
/// while. Leaked by its users: tasks may still run while the process ends.
class BackgroundThreads {
public:
  BackgroundThreads(const char *name, unsigned threads) : name_(name), threads_(threads) {}

  /// Needs no memory but a thread's. Gives the task back where there is no thread and none can be had.
  [[nodiscard]] std::unique_ptr<Task> run(std::unique_ptr<Task> task) noexcept KILN_EXCLUDES(mutex_);
  /// The same for a function, which may throw std::bad_alloc and ends with it. False where it is not run.
  template <typename Function> [[nodiscard]] bool runFunction(Function function) {
    struct Call final : Task {
      explicit Call(Function function) : function(std::move(function)) {}
      void run() noexcept override {
        try {
          function();
        } catch (const std::bad_alloc &) {
        }
      }
      Function function;
    };
    return !run(std::make_unique<Call>(std::move(function)));
  }

  /// Sees to it that there is a thread until `unreserve`, so that `run` takes everything meanwhile. False where none
  /// can be had.
  [[nodiscard]] bool reserve() noexcept KILN_EXCLUDES(mutex_);
  void unreserve() noexcept KILN_EXCLUDES(mutex_);

private:
  void work() noexcept;
  /// One thread more; false where there is none to be had.
  bool start() noexcept KILN_REQUIRES(mutex_);

  const char *const name_;
  const unsigned threads_;
  Mutex mutex_;
  ConditionVariable wake_;
  std::unique_ptr<Task> first_ KILN_GUARDED_BY(mutex_);
  Task *last_ KILN_GUARDED_BY(mutex_) = nullptr;
  unsigned waiting_ KILN_GUARDED_BY(mutex_) = 0;
  unsigned running_ KILN_GUARDED_BY(mutex_) = 0;
  unsigned idle_ KILN_GUARDED_BY(mutex_) = 0;
  unsigned reserved_ KILN_GUARDED_BY(mutex_) = 0;
};

/// Where the application's callbacks run, one after the other: never on a thread that is inside a call of the
/// application, which may hold a lock that the callback takes.
BackgroundThreads &callbackThread();
/// Where programs are built that nobody waits for.
BackgroundThreads &buildThreads();

} // namespace kiln
