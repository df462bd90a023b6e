// An event: a node of the event graph, with the command that it represents. A user event is a node without a command.
//
// States: queued -> ready (no unresolved dependency) -> submitted (given to a stream) -> issued (the stream has called
// Operation::issue) -> running -> ended (the command's own work is done) -> complete (its child commands are done as
// well; a negative status counts as complete). Ready, issued and ended are internal. OpenCL's execution model (section
// 3.2) puts ready after submitted. A command that a failed dependency stops is skipped.
#pragma once
#include "runtime/platform/DeferredCompletion.h"
#include "runtime/platform/LockedStream.h"
#include "runtime/queue/Command.h"
#include "runtime/queue/EventGraph.h"
#include "runtime/support/FreeList.h"
#include "runtime/support/Futex.h"
#include "runtime/support/Thread.h"
#include <vector>

namespace kiln {

class Queue;
class Event;

/// A checked wait list. Each event is referenced while the list lives.
using WaitList = std::vector<Ref<Event>>;

/// Object is the first polymorphic base, so the handle has the same offset as in every other object: the memory of an
/// old event may hold another object (HandleMemory.h), and the handle still leads to its dispatch table.
class Event final : public _cl_event, public Object, public EventNode, private Operation, private DeferredCompletion {
public:
  static constexpr ObjectKind Kind = ObjectKind::Event;
  using Callback = void(CL_CALLBACK *)(cl_event event, cl_int status, void *userData);

  static void *operator new(size_t size);
  /// Events of which the application had a handle rest before their memory is used again (HandleMemory.h).
  static void operator delete(Event *event, std::destroying_delete_t);
  static void operator delete(void *memory) { FreeList<sizeof(Event)>::release(memory); } // the constructor threw

  /// clCreateUserEvent
  static Ref<Event> createUser(Context &context);
  /// clSetUserEventStatus: CL_INVALID_EVENT, CL_INVALID_VALUE, CL_INVALID_OPERATION.
  Status setUserStatus(cl_int status);

  Context &context() const { return *context_; }
  Queue *queue() const { return queue_.get(); } // null for user events
  cl_command_type commandType() const { return commandType_; }
  bool isUser() const { return !queue_; }
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

  /// How many spans of residency maps list this event as a pending write.
  void addPendingWrite() { pendingWrites_.fetch_add(1, std::memory_order_relaxed); }
  void removePendingWrite() { pendingWrites_.fetch_sub(1, std::memory_order_relaxed); }

private:
  friend class Queue;
  friend class ResidencyManager;

  /// Only for events of a device with fences.
  struct FenceDependencies {
    std::vector<Ref<Event>> after; // on other streams; until this event is submitted
    std::vector<std::shared_ptr<Fence>> fences;
  };
  struct Listener; // a callback and the state that it waits for

  Event(Ref<Context> context, Ref<Queue> queue, Command command);
  ~Event() override;
  void lastHandleReleased() override;
  void incNodeRef() noexcept override { incRef(); }
  void decNodeRef() noexcept override { decRef(); }

  Status issue(Stream &stream) noexcept override;
  Status issueOrThrow(Stream &stream);
  void onEnded(cl_int code, uint64_t start, uint64_t end) noexcept override;
  void onDeferredComplete(cl_int code) noexcept override;
  /// The command's own work and its child commands are done, or it failed.
  void onComplete(cl_int code) noexcept;

  /// Polls the stream once. A device with fences may be ahead of what the runtime has retired, so that a dependent is
  /// known to be complete before this event is.
  void poll() const noexcept;
  /// Lowers the status, wakes waiting threads and queues the callbacks that are due. Calls no function of the
  /// application; the callback thread does.
  void setStatus(cl_int status) noexcept;
  void notifyListeners(cl_int status) noexcept KILN_EXCLUDES(listenerMutex_);
  /// Sets the final status and resolves the dependents.
  void complete(cl_int status);
  /// Returns true if the device keeps this event after `other`.
  bool isFencedBehind(const Event &other) const;
  /// Makes room for `count` dependencies on other streams of a device with fences, so that adding them cannot fail.
  void reserveFences(size_t count);
  bool isTransfer() const { return transfer_; }
  const char *name() const override;
  void onReady() noexcept override;

  const Ref<Context> context_;
  const Ref<Queue> queue_;
  const cl_command_type commandType_;
  WaitQueue waitQueue_; // on status_
  const bool transfer_;
  const bool outlastsStream_; // the command may complete later than its stream has run it (DeferredCompletion.h)
  bool mayBeSkipped_ = false; // a dependency may still fail after this event is submitted

  std::unique_ptr<FenceDependencies> fenceDependencies_;
  std::atomic<uint32_t> pendingWrites_{0}; // in residency maps

  LockedStream *stream_ = nullptr; // set when the event is first in its queue
  bool isReady_ = false;           // in-order queue: waits only for the commands before it; guarded by the queue
  Event *nextPending_ = nullptr, *previousPending_ = nullptr; // the queue's list; guarded by the queue

  std::atomic<uint64_t> queuedTime_{0}, submitTime_{0}, startTime_{0}, endTime_{0}, completeTime_{0};
  std::atomic<bool> hasListeners_{false};
  Mutex listenerMutex_;
  struct Listeners {
    Listener *first = nullptr, *last = nullptr;
  };
  std::array<Listeners, CL_SUBMITTED + 1> listeners_ KILN_GUARDED_BY(listenerMutex_); // by state
  Command command_;
};

} // namespace kiln
