// The event of the API: a node of the event graph that the application has a handle of, can wait for and can set
// callbacks on. A user event is no more than that; the event of a command is a CommandNode.
#pragma once
#include "base/support/Futex.h"
#include "base/support/Thread.h"
#include "runtime/memory/Context.h"
#include "runtime/queue/EventGraph.h"
#include <vector>

namespace kiln {

class Queue;
class Event;

/// A checked wait list. Each event is referenced while the list lives.
using WaitList = std::vector<Ref<Event>>;

/// Of a command, in nanoseconds (nowNanoseconds).
struct CommandTimes {
  std::atomic<uint64_t> queued{0}, submit{0}, start{0}, end{0}, complete{0};
};

/// Object is the first polymorphic base, so the handle has the same offset as in every other object: the memory of an
/// old event may hold another object (HandleMemory.h), and the handle still leads to its dispatch table.
class Event : public _cl_event, public Object, public EventNode {
public:
  static constexpr ObjectKind Kind = ObjectKind::Event;
  using Callback = void(CL_CALLBACK *)(cl_event event, cl_int status, void *userData);

  /// clCreateUserEvent
  static Ref<Event> createUser(Context &context);
  /// clSetUserEventStatus: CL_INVALID_EVENT, CL_INVALID_VALUE, CL_INVALID_OPERATION.
  Status setUserStatus(cl_int status);

  Context &context() const { return *context_; }
  Queue *queue() const { return queue_.get(); } // null for user events
  cl_command_type commandType() const { return commandType_; }
  bool isUser() const { return !queue_; }
  const char *name() const override;
  /// The status for the application. Flushes the queue, since the application may poll in a loop without flushing.
  cl_int polledStatus() const;

  /// clSetEventCallback. If the state is already reached, the callback is queued at once.
  Status addCallback(cl_int state, Callback callback, void *userData);
  /// clGetEventProfilingInfo: CL_PROFILING_INFO_NOT_AVAILABLE, CL_INVALID_VALUE.
  Result<cl_ulong> profilingTime(cl_profiling_info which) const;

  /// Waits until the event is complete. Flushes the queue; meanwhile the thread runs work of the queue.
  void wait() noexcept;
  /// clWaitForEvents: flushes the queues of all events, then waits for each. If one failed:
  /// CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST. The list is not empty and of one context.
  static Status waitFor(const WaitList &events);

protected:
  /// `queue` is null for a user event.
  Event(Ref<Context> context, Ref<Queue> queue, cl_command_type type);
  ~Event() override;

  /// Lowers the status, wakes waiting threads and queues the callbacks that are due. Calls no function of the
  /// application; the callback thread does.
  void setStatus(cl_int status) noexcept;
  /// Sets the final status and resolves the dependents.
  void complete(cl_int status) noexcept;

private:
  struct Listener; // a callback and the state that it waits for

  /// Of a user event: its context has been terminated, and its dependents must end.
  void endWithContext() noexcept;
  void lastHandleReleased() override;
  void incNodeRef() noexcept override { incRef(); }
  void decNodeRef() noexcept override { decRef(); }
  void onReady() noexcept override {} // a user event has no dependencies
  /// Null for a user event.
  virtual const CommandTimes *commandTimes() const { return nullptr; }
  /// Polls the command's stream once. A device with fences may be ahead of what the runtime has retired, so that a
  /// dependent is known to be complete before this event is.
  virtual void poll() const noexcept {}
  void notifyListeners(cl_int status) noexcept KILN_EXCLUDES(listenerMutex_);

  const Ref<Context> context_;
  const Ref<Queue> queue_;
  const cl_command_type commandType_;
  WaitQueue waitQueue_; // on status_
  std::atomic<bool> hasListeners_{false};
  Mutex listenerMutex_;
  struct Listeners {
    Listener *first = nullptr, *last = nullptr;
  };
  std::array<Listeners, CL_SUBMITTED + 1> listeners_ KILN_GUARDED_BY(listenerMutex_); // by state
};

} // namespace kiln
