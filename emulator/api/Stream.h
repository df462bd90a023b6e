// A stream: a thread that runs its operations in order. And an event: a point in a stream.
#pragma once
#include "base/support/Mutex.h"
#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>

namespace kiln::emulator {

/// The point that an event was recorded at last.
struct Mark {
  bool reached = false;
  std::chrono::steady_clock::time_point time;
};

class Event {
public:
  explicit Event(bool hasTime) : hasTime(hasTime) {}
  const bool hasTime;
  std::shared_ptr<Mark> mark; // null before the first record; guarded by streamMutex
};

class Stream : public std::enable_shared_from_this<Stream> {
public:
  Stream(int device, int priority) : device(device), priority(priority) {}
  const int device, priority;

  /// Adds an operation. Its result, if not 0, breaks the runtime.
  void push(std::function<int()> operation);
  /// Adds an operation, and returns when it has run.
  void pushAndWait(std::function<int()> operation);
  void record(Event &event);
  void waitFor(Event &event);
  /// Runs what was added, and ends the thread.
  void close();

private:
  struct Work {
    std::function<int()> operation; // may be empty
    std::shared_ptr<Mark> before;   // to wait for
    std::shared_ptr<Mark> reaches;
  };
  void add(Work work);
  void loop();

  std::deque<Work> work_; // guarded by streamMutex
  bool started_ = false, closed_ = false;
};

/// Returns true if the event is reached or was never recorded.
bool isReached(Event &event);
void waitForEvent(Event &event);
/// False if one of the two is not reached.
bool elapsed(Event &start, Event &end, float &milliseconds);

} // namespace kiln::emulator
