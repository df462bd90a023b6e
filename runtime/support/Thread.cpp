#include "runtime/support/Thread.h"
#include "runtime/support/Futex.h"
#include "runtime/support/Log.h"
#include <algorithm>
#include <cerrno>
#include <cfenv>
#include <chrono>
#include <csignal>
#include <pthread.h>
#include <sched.h>

namespace kiln {
namespace {

struct Start {
  const char *name;
  std::function<void()> body;
};

void *enterThread(void *argument) {
  std::unique_ptr<Start> start(static_cast<Start *>(argument));
  pthread_setname_np(pthread_self(), start->name);
  std::fesetenv(FE_DFL_ENV); // a new thread inherits its creator's
  start->body();
  return nullptr;
}

constinit std::atomic<ForkHandler *> forkHandlers{nullptr};
constinit std::atomic<Background *> callbacks{nullptr}, builds{nullptr};

// A child has none of its parent's threads: it gets Backgrounds of its own. What waited in the parent's stays there.
constinit ForkHandler forget{[] {
  callbacks.store(nullptr);
  builds.store(nullptr);
}};

/// False when there is no memory for the set.
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

Background &get(std::atomic<Background *> &slot, const char *name, unsigned threads) {
  if (Background *made = slot.load(std::memory_order_acquire))
    return *made;
  onFork(forget);
  auto *mine = new Background(name, threads);
  Background *other = nullptr;
  if (slot.compare_exchange_strong(other, mine, std::memory_order_acq_rel))
    return *mine;
  delete mine;
  return *other;
}

} // namespace

bool startThread(const char *name, std::function<void()> body, size_t stackBytes,
                 std::span<const unsigned> processors) {
  auto start = std::make_unique<Start>(Start{name, std::move(body)});
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (stackBytes)
    pthread_attr_setstacksize(&attributes, stackBytes);
  bool able = processors.empty() || setProcessors(attributes, processors);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  int error = able ? pthread_create(&thread, &attributes, enterThread, start.get()) : ENOMEM;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (error) {
    KILN_LOG(Warn, Device, "no thread for ", name, ": error ", error);
    return false;
  }
  (void)start.release(); // the thread's now
  return true;
}

void onFork(ForkHandler &handler) {
  if (handler.listed.exchange(true))
    return;
  handler.next = forkHandlers.load();
  while (!forkHandlers.compare_exchange_weak(handler.next, &handler)) {
  }
}

void watchForks() {
  pthread_atfork(nullptr, nullptr, [] {
    for (ForkHandler *handler = forkHandlers.load(); handler; handler = handler->next)
      handler->run();
  });
}

void Background::run(std::function<void()> function) {
  bool start = false;
  {
    Lock lock(mutex_);
    waiting_.push_back(std::move(function));
    if (waiting_.size() > idle_ && running_ < threads_)
      ++running_, start = true;
    else
      wake_.notifyOne();
  }
  if (!start || startThread(name_, [this] { work(); }))
    return;
  Lock lock(mutex_);
  --running_;
}

void Background::work() {
  Lock lock(mutex_);
  for (;;) {
    ++idle_;
    bool found =
        wake_.waitFor(lock, std::chrono::seconds(10), [this]() KILN_REQUIRES(mutex_) { return !waiting_.empty(); });
    --idle_;
    if (!found)
      break;
    {
      std::function<void()> function = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      function();
    } // what the function held goes before the lock is taken again
    lock.lock();
  }
  --running_;
}

Background &callbackThread() { return get(callbacks, "kiln-callbacks", 1); }
Background &buildThreads() { return get(builds, "kiln-builds", std::max(1u, processorCount())); }

} // namespace kiln
