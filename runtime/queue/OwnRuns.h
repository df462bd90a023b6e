// What a program has the runtime launch by itself on a device: initialisers before the first of its kernels there, and
// finalisers when it goes, each as one work-item.
//
// All of them are commands of a queue of the program's own, so they are nodes of the event graph like any other. Who
// enqueues a kernel of the program gets the last initialiser's event as one more to wait for; nothing waits inside the
// call, and the initialisers themselves depend on nothing that the application could hold back. One that fails fails
// the kernels behind it as an event of their wait list would.
//
// Finalisers run where the initialisers were enqueued: what was never set up is not cleaned up. They hold the program's
// code until they have ended, and nothing waits for them: clSetProgramReleaseCallback tells when they are done.
#pragma once
#include "runtime/program/DeviceProgram.h"

namespace kiln {

class Context;
class Event;
class Queue;

class OwnRuns {
public:
  struct Run {
    const KernelInfo *info;
    Function *function;
  };
  OwnRuns(std::vector<Run> initialisers, std::vector<Run> finalisers);
  ~OwnRuns();

  bool initialises() const { return !initialisers_.empty(); }
  bool finalises() const { return !finalisers_.empty(); }

  /// Enqueues the initialisers if nobody has yet. Gives the event that a kernel of the program has to wait for, or
  /// null.
  Result<Ref<Event>> initialise(const std::shared_ptr<const DeviceProgram> &program, Context &context,
                                DeviceObject &device) KILN_EXCLUDES(mutex_);
  /// Enqueues the finalisers of the program, which is the one that has this and which nobody uses any more. It ends
  /// behind them.
  static void finalise(std::unique_ptr<const DeviceProgram> program) noexcept;

private:
  const std::vector<Run> initialisers_, finalisers_;
  Mutex mutex_;
  Ref<Queue> queue_ KILN_GUARDED_BY(mutex_);    // from the first launch on
  size_t enqueued_ KILN_GUARDED_BY(mutex_) = 0; // of the initialisers
  Ref<Event> last_ KILN_GUARDED_BY(mutex_);     // of these
};

} // namespace kiln
