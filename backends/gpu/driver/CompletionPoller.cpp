#include "backends/gpu/driver/CompletionPoller.h"
#include "backends/gpu/driver/GpuDevice.h"
#include "backends/gpu/driver/GpuStream.h"
#include "base/support/Thread.h"
#include "base/support/Trace.h"
#include <algorithm>
#include <ctime>
#include <sched.h>
#include <sys/prctl.h>

namespace kiln::gpu {
namespace {

// The pause before the next poll is a share of the age of the oldest work, so that the delay is a small part of the
// time that the work took: 1/128 on average. The longest pause is reached at 128 ms: 800 polls in the first second, a
// poll takes 20 to 30 us of a virtual machine's core with the sleep (GpuStreams.WaitsOfASecondSleep).
constexpr uint64_t Share = 64, MinPause = 20'000, MaxPause = 2'000'000;
// No thread waits for an open batch, or it would be closed; it only uses memory.
constexpr uint64_t CloseAfter = 200'000, PauseForOpen = 50'000;
// If an application enqueues without a pause, a chain is full after about 30 us.
constexpr uint64_t IssueChainAfter = 100'000;
// Waiting threads poll every stream themselves.
constexpr uint64_t FactorWithWaitingThreads = 4;
// How long the thread stays awake without work: once it sleeps, the next flush needs a system call.
constexpr uint64_t StaysAwake = 2'000'000;

// A fork waits for polls in progress, which take microseconds unless a ring is full (Staging.h).
constexpr uint64_t LongestWaitOfFork = 100'000'000;

constinit std::atomic<uint32_t> polls{0};     // in progress, of all devices
constinit std::atomic<uint32_t> isForking{0}; // no poll begins

/// A poll holds locks of streams. In the child of a fork no thread would release them, and releasing a queue there, as
/// Python's processes do at their end, would wait for ever. So no poll is in progress when the process forks.
class Poll {
public:
  Poll() {
    for (;;) {
      polls.fetch_add(1, std::memory_order_seq_cst);
      if (!isForking.load(std::memory_order_seq_cst))
        return;
      polls.fetch_sub(1, std::memory_order_seq_cst);
      futexWait(isForking, 1);
    }
  }
  ~Poll() { polls.fetch_sub(1, std::memory_order_seq_cst); }
  Poll(const Poll &) = delete;
  Poll &operator=(const Poll &) = delete;
};

void waitForPolls() {
  isForking.store(1, std::memory_order_seq_cst);
  for (const uint64_t begin = nowNanoseconds(); polls.load(std::memory_order_seq_cst); sched_yield())
    if (nowNanoseconds() - begin > LongestWaitOfFork)
      return;
}
void resumePolls() {
  isForking.store(0, std::memory_order_seq_cst);
  futexWake(isForking, 1 << 30);
}
void forgetPolls() {
  polls.store(0);
  isForking.store(0);
}
constinit ForkHandler aroundForks{.run = forgetPolls, .before = waitForPolls, .after = resumePolls};

void pause(uint64_t nanoseconds) {
  timespec time{time_t(nanoseconds / 1'000'000'000), long(nanoseconds % 1'000'000'000)};
  nanosleep(&time, nullptr);
}

} // namespace

bool CompletionPoller::wake() {
  if (Driver::forked())
    return false; // the thread is in the parent
  uint32_t state = awake_.load();
  while (state != Awake) {
    if (state == Stopped)
      return false;
    if (!awake_.compare_exchange_weak(state, Awake))
      continue;
    if (state == Asleep)
      futexWake(awake_, 1);
    else if (!startThread("kiln-gpu", [](void *poller) { static_cast<CompletionPoller *>(poller)->run(); }, this)) {
      awake_.store(NoThread);
      return false;
    }
  }
  return true;
}

void CompletionPoller::stop() {
  if (Driver::forked())
    return;
  stopping_.store(true);
  uint32_t state = NoThread;
  if (awake_.compare_exchange_strong(state, Stopped))
    return; // it was never started
  while ((state = awake_.load()) != Stopped) {
    if (state == Asleep && awake_.compare_exchange_strong(state, Awake))
      futexWake(awake_, 1);
    futexWait(awake_, Awake);
  }
}

void CompletionPoller::run() {
  onFork(aroundForks);
  prctl(PR_SET_TIMERSLACK, 1000);
  uint64_t lastWork = nowNanoseconds();
  while (!stopping_.load()) {
    uint64_t next;
    {
      const Poll poll;
      next = pollStreams();
    }
    uint64_t now = nowNanoseconds();
    if (next) {
      lastWork = now;
      if (next > 1)
        pause(next);
    } else if (now - lastWork < StaysAwake) {
      pause(PauseForOpen);
    } else {
      // Sequentially consistent, as in the submitting thread: it reads Asleep, or this thread reads its `pending`.
      awake_.store(Asleep, std::memory_order_seq_cst);
      if (device_.pending.load(std::memory_order_seq_cst) || stopping_.load()) {
        awake_.store(Awake);
        continue;
      }
      while (awake_.load() == Asleep)
        futexWait(awake_, Asleep);
      lastWork = nowNanoseconds();
    }
  }
  awake_.store(Stopped);
  futexWake(awake_, 1 << 30); // the device may be destroyed from here on
}

uint64_t CompletionPoller::pollStreams() {
  if (!device_.pending.load(std::memory_order_seq_cst))
    return 0;
  (void)device_.usable(); // if the process ends, this thread sleeps here and not while it retires operations
  uint64_t now = nowNanoseconds(), youngest = MaxPause * Share;
  bool any = false, waits = false;
  for (size_t at = 0; Ref<GpuStreamState> stream = device_.nextBusyStream(at);) {
    stream->issueChainOlderThan(now - IssueChainAfter);
    stream->closeOlderThan(anyWaitsForOthers_ ? UINT64_MAX : now - CloseAfter);
    any |= stream->retireFromPoller();
    waits |= stream->waitsForOthers();
    uint64_t since = stream->pendingSince();
    youngest = std::min(youngest, !since ? PauseForOpen * Share : now > since ? now - since : 0);
  }
  anyWaitsForOthers_ = waits;
  if (any)
    return 1; // ended operations may have submitted others
  uint64_t pause = std::clamp(youngest / Share, MinPause, MaxPause);
  return waitingThreads.load(std::memory_order_relaxed) ? pause * FactorWithWaitingThreads : pause;
}

} // namespace kiln::gpu
