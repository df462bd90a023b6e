// Kiln's threads. They block the application's signals, start with the default floating-point environment, and are
// created on first use.
#pragma once
#include "base/support/Mutex.h"
#include <atomic>
#include <memory>
#include <new>
#include <span>

namespace kiln {

/// Starts a detached thread that calls `body(argument)`. Returns false if the system cannot create it. `name` is
/// visible in debuggers, at most 15 characters. `processors`: numbers of the system's processors that the thread is
/// bound to; empty: any.
bool startThread(const char *name, void (*body)(void *), void *argument, size_t stackBytes = 0,
                 std::span<const unsigned> processors = {}) noexcept;

/// A function that is called in the child of a fork, to reset state that belonged to the parent's threads. Static and
/// constinit. `before` and `after` are called in the parent, around the fork.
struct ForkHandler {
  void (*const run)();
  void (*const before)() = nullptr;
  void (*const after)() = nullptr;
  std::atomic<bool> listed{false};
  ForkHandler *next = nullptr;
};
/// Adds the handler to the list unless it is there. Takes no lock, because a lock that another thread holds during the
/// fork is never released in the child.
void onFork(ForkHandler &handler);
/// Makes forks call the listed handlers. Call once, before any thread of Kiln exists. Throws std::bad_alloc.
void installForkHandlers();

/// A unit of background work. It is allocated before it is needed, so that submitting it cannot fail.
class Task {
public:
  virtual ~Task() = default;
  virtual void run() noexcept = 0;

private:
  friend class BackgroundThreads;
  std::unique_ptr<Task> next_;
};

/// Runs tasks in FIFO order on up to `threads` threads, which end after 10 s without work. Leaked by its users, because
/// tasks may run while the process ends.
class BackgroundThreads {
public:
  BackgroundThreads(const char *name, unsigned threads) : name_(name), threads_(threads) {}

  /// Allocates nothing but a thread. Returns the task if there is no thread and none can be created; else null.
  [[nodiscard]] std::unique_ptr<Task> run(std::unique_ptr<Task> task) noexcept KILN_EXCLUDES(mutex_);
  /// Runs a function. A std::bad_alloc that it throws ends it. Returns false if the function is not run.
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

  /// Keeps one thread alive until `unreserve`, so that `run` accepts every task meanwhile. Returns false if no thread
  /// can be created.
  [[nodiscard]] bool reserve() noexcept KILN_EXCLUDES(mutex_);
  void unreserve() noexcept KILN_EXCLUDES(mutex_);

private:
  void work() noexcept;
  /// Creates one more thread. Returns false if that fails.
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

/// Runs the application's callbacks serially. Never a thread that is inside an API call, because the application may
/// hold a lock there that the callback takes.
BackgroundThreads &callbackThread();
/// Runs asynchronous builds.
BackgroundThreads &buildThreads();

} // namespace kiln
