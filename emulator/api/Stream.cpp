#include "emulator/api/Stream.h"
#include "base/support/Thread.h"
#include "emulator/api/Runtime.h"
#include "emulator/machine/StreamGate.h"
#include <unistd.h>

namespace kiln::emulator {
namespace {

// One lock for all streams: an emulated operation takes much longer than this.
struct Shared {
  Mutex mutex;
  ConditionVariable changed;
};
Shared &shared() {
  static auto *leaked = new Shared;
  return *leaked;
}

} // namespace

void Stream::add(Work work) {
  Shared &all = shared();
  Lock lock(all.mutex);
  work_.push_back(std::move(work));
  if (!started_) {
    started_ = true;
    auto *self = new std::shared_ptr<Stream>(shared_from_this());
    auto body = [](void *argument) {
      const std::unique_ptr<std::shared_ptr<Stream>> stream(static_cast<std::shared_ptr<Stream> *>(argument));
      (*stream)->loop();
    };
    if (!startThread("emulated stream", body, self)) {
      started_ = false;
      delete self;
      throw std::bad_alloc();
    }
  }
  all.changed.notifyAll();
}

void Stream::loop() {
  Shared &all = shared();
  Lock lock(all.mutex);
  for (;;) {
    all.changed.wait(lock,
                     [&] { return work_.empty() ? closed_ : !work_.front().before || work_.front().before->reached; });
    if (work_.empty())
      return;
    Work work = std::move(work_.front());
    work_.pop_front();
    if (work.operation && !runtime().broken) {
      lock.unlock();
      int code = 0;
      {
        const StreamGate::Pass inside;
        while (!inside)
          pause(); // until the process ends
        code = work.operation();
        work.operation = nullptr; // may release a module
      }
      int none = 0;
      if (code)
        runtime().broken.compare_exchange_strong(none, code);
      lock.lock();
    }
    if (work.reaches) {
      work.reaches->time = std::chrono::steady_clock::now();
      work.reaches->reached = true;
    }
    all.changed.notifyAll();
  }
}

void Stream::push(std::function<int()> operation) { add({std::move(operation), nullptr, nullptr}); }

void Stream::pushAndWait(std::function<int()> operation) {
  Event event(false);
  event.mark = std::make_shared<Mark>();
  add({std::move(operation), nullptr, event.mark});
  waitForEvent(event);
}

void Stream::record(Event &event) {
  auto mark = std::make_shared<Mark>();
  {
    Lock lock(shared().mutex);
    event.mark = mark;
  }
  add({nullptr, nullptr, std::move(mark)});
}

void Stream::waitFor(Event &event) {
  std::shared_ptr<Mark> mark;
  {
    Lock lock(shared().mutex);
    mark = event.mark;
  }
  if (mark)
    add({nullptr, std::move(mark), nullptr});
}

void Stream::close() {
  Lock lock(shared().mutex);
  closed_ = true;
  shared().changed.notifyAll();
}

bool isReached(Event &event) {
  Lock lock(shared().mutex);
  return !event.mark || event.mark->reached;
}

void waitForEvent(Event &event) {
  Lock lock(shared().mutex);
  const std::shared_ptr<Mark> mark = event.mark;
  shared().changed.wait(lock, [&] { return !mark || mark->reached; });
}

bool elapsed(Event &start, Event &end, float &milliseconds) {
  Lock lock(shared().mutex);
  if (!start.mark || !end.mark || !start.mark->reached || !end.mark->reached)
    return false;
  milliseconds = std::chrono::duration<float, std::milli>(end.mark->time - start.mark->time).count();
  return true;
}

} // namespace kiln::emulator
