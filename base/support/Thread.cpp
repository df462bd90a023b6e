#include "base/support/Thread.h"
#include "base/support/Futex.h"
#include "base/support/Log.h"
#include <algorithm>
#include <cerrno>
#include <cfenv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <pthread.h>
#include <sched.h>

namespace kiln {
namespace {

struct Start {
  const char *name;
  void (*body)(void *);
  void *argument;
};

void *enterThread(void *argument) {
  const Start start = *std::unique_ptr<Start>(static_cast<Start *>(argument));
  pthread_setname_np(pthread_self(), start.name);
  std::fesetenv(FE_DFL_ENV); // a new thread inherits its creator's environment
  start.body(start.argument);
  return nullptr;
}

constinit std::atomic<ForkHandler *> forkHandlers{nullptr};

template <auto Function> void callListed() {
  for (ForkHandler *handler = forkHandlers.load(); handler; handler = handler->next)
    if (handler->*Function)
      (handler->*Function)();
}

/// Returns false if there is no memory for the set.
bool setProcessors(pthread_attr_t &attributes, std::span<const unsigned> processors) {
  const unsigned count = std::ranges::max(processors) + 1;
  cpu_set_t *set = CPU_ALLOC(count);
  if (!set)
    return false;
  const size_t bytes = CPU_ALLOC_SIZE(count);
  CPU_ZERO_S(bytes, set);
  for (unsigned processor : processors)
    CPU_SET_S(processor, bytes, set);
  bool done = pthread_attr_setaffinity_np(&attributes, bytes, set) == 0; // copies it
  CPU_FREE(set);
  return done;
}

/// The two thread sets. Never destroyed, and in static storage, so that access cannot fail.
struct AllBackgroundThreads {
  static AllBackgroundThreads &get() {
    alignas(AllBackgroundThreads) static std::byte storage[sizeof(AllBackgroundThreads)];
    // The child of a fork has none of its parent's threads and gets a new object. Tasks that waited in the parent's are
    // lost.
    static constinit ForkHandler renew{[] { new (storage) AllBackgroundThreads; }};
    static AllBackgroundThreads &made = *[] {
      onFork(renew);
      return new (storage) AllBackgroundThreads;
    }();
    return made;
  }
  BackgroundThreads callbacks{"kiln-callbacks", 1}, builds{"kiln-builds", std::max(1u, processorCount())};
};

} // namespace

bool startThread(const char *name, void (*body)(void *), void *argument, size_t stackBytes,
                 std::span<const unsigned> processors) noexcept {
  std::unique_ptr<Start> start(new (std::nothrow) Start{name, body, argument});
  if (!start)
    return false;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (stackBytes)
    pthread_attr_setstacksize(&attributes, stackBytes);
  bool canCreate = processors.empty() || setProcessors(attributes, processors);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  int error = canCreate ? pthread_create(&thread, &attributes, enterThread, start.get()) : ENOMEM;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (error) {
    KILN_LOG(Warn, Device, "thread ", name, " cannot be created: ", std::strerror(error));
    return false;
  }
  (void)start.release(); // owned by the thread now
  return true;
}

void onFork(ForkHandler &handler) {
  if (handler.listed.load(std::memory_order_relaxed) || handler.listed.exchange(true))
    return;
  handler.next = forkHandlers.load();
  while (!forkHandlers.compare_exchange_weak(handler.next, &handler)) {
  }
}

void installForkHandlers() {
  int error = pthread_atfork([] { callListed<&ForkHandler::before>(); }, [] { callListed<&ForkHandler::after>(); },
                             [] { callListed<&ForkHandler::run>(); });
  if (error)
    throw std::bad_alloc(); // the only possible error
}

std::unique_ptr<Task> BackgroundThreads::run(std::unique_ptr<Task> task) noexcept {
  Lock lock(mutex_);
  if (waiting_ >= idle_ && running_ < threads_ && !start() && !running_)
    return task;
  Task *added = task.get();
  (last_ ? last_->next_ : first_) = std::move(task);
  last_ = added;
  ++waiting_;
  wake_.notifyOne();
  return nullptr;
}

bool BackgroundThreads::reserve() noexcept {
  Lock lock(mutex_);
  if (!running_ && !start())
    return false;
  ++reserved_;
  return true;
}

void BackgroundThreads::unreserve() noexcept {
  Lock lock(mutex_);
  if (reserved_) // zero in the child of a fork, whose parent had reserved
    --reserved_;
}

bool BackgroundThreads::start() noexcept {
  bool started = startThread(name_, [](void *self) { static_cast<BackgroundThreads *>(self)->work(); }, this);
  running_ += started;
  return started;
}

void BackgroundThreads::work() noexcept {
  Lock lock(mutex_);
  for (;;) {
    ++idle_;
    bool found = wake_.waitFor(lock, std::chrono::seconds(10), [this]() KILN_REQUIRES(mutex_) { return bool(first_); });
    --idle_;
    if (!found && reserved_)
      continue;
    if (!found)
      break;
    {
      std::unique_ptr<Task> task = std::move(first_);
      first_ = std::move(task->next_);
      if (!first_)
        last_ = nullptr;
      --waiting_;
      lock.unlock();
      task->run();
    } // destroys the task before the lock is taken
    lock.lock();
  }
  --running_;
}

BackgroundThreads &callbackThread() { return AllBackgroundThreads::get().callbacks; }
BackgroundThreads &buildThreads() { return AllBackgroundThreads::get().builds; }

} // namespace kiln
