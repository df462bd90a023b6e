#include "backends/gpu/driver/Watcher.h"
#include "backends/gpu/driver/GpuDevice.h"
#include "backends/gpu/driver/Line.h"
#include "runtime/support/Thread.h"
#include "runtime/support/Trace.h"
#include <algorithm>
#include <ctime>
#include <sys/prctl.h>

namespace kiln::gpu {
namespace {

// A look follows after a share of the time that the oldest work has taken, so that what a look is late is a small part
// of what was waited for.
constexpr uint64_t Share = 64, ShortestPause = 20'000, LongestPause = 200'000;
// Nobody waits for what is in an open batch, or it would be closed; it only holds memory.
constexpr uint64_t CloseAfter = 200'000, PauseForOpen = 50'000;
constexpr uint64_t PauseWithHelpers = 50'000;
// How long the thread stays up without work: falling asleep costs the next flush a system call.
constexpr uint64_t StaysAwake = 2'000'000;

void pause(uint64_t nanoseconds) {
  timespec time{time_t(nanoseconds / 1'000'000'000), long(nanoseconds % 1'000'000'000)};
  nanosleep(&time, nullptr);
}

} // namespace

bool Watcher::wake() {
  if (Driver::forked())
    return false; // the thread stayed in the parent
  uint32_t state = awake_.load();
  while (state != Awake) {
    if (state == Stopped)
      return false;
    if (!awake_.compare_exchange_weak(state, Awake))
      continue;
    if (state == Asleep)
      futexWake(awake_, 1);
    else if (!startThread("kiln-gpu", [](void *watcher) { static_cast<Watcher *>(watcher)->run(); }, this)) {
      awake_.store(NoThread);
      return false;
    }
  }
  return true;
}

void Watcher::stop() {
  if (Driver::forked())
    return;
  stopping_.store(true);
  uint32_t state = NoThread;
  if (awake_.compare_exchange_strong(state, Stopped))
    return; // it never started
  while ((state = awake_.load()) != Stopped) {
    if (state == Asleep && awake_.compare_exchange_strong(state, Awake))
      futexWake(awake_, 1);
    futexWait(awake_, Awake);
  }
}

void Watcher::run() {
  prctl(PR_SET_TIMERSLACK, 1000);
  uint64_t lastWork = nowNanoseconds();
  while (!stopping_.load()) {
    uint64_t next = look();
    uint64_t now = nowNanoseconds();
    if (next) {
      lastWork = now;
      if (next > 1)
        pause(next);
    } else if (now - lastWork < StaysAwake) {
      pause(PauseForOpen);
    } else {
      // Either whoever submits sees that this thread sleeps, or it sees what was submitted.
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
  futexWake(awake_, 1 << 30); // the device may be gone from here on
}

uint64_t Watcher::look() {
  if (!device_.pending.load(std::memory_order_seq_cst))
    return 0;
  uint64_t now = nowNanoseconds(), youngest = LongestPause * Share;
  bool any = false;
  for (size_t at = 0; Ref<Line> line = device_.busyLine(at);) {
    line->closeOlderThan(now - CloseAfter);
    any |= line->retireForWatcher();
    uint64_t since = line->pendingSince();
    youngest = std::min(youngest, !since ? PauseForOpen * Share : now > since ? now - since : 0);
  }
  if (any)
    return 1; // what has ended may have started more
  uint64_t pause = std::clamp(youngest / Share, ShortestPause, LongestPause);
  return waitingThreads.load(std::memory_order_relaxed) ? std::max(pause, PauseWithHelpers) : pause;
}

} // namespace kiln::gpu
