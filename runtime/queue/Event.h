// An event: a node of the event graph, with the command that it represents. A user event is a node without a command.
//
// A node counts its unresolved dependencies. Each incomplete dependency lists its dependents through Edges, which are
// stored inside the dependents. A node that completes closes its list and decrements the count of each dependent; a
// dependent whose count reaches zero is passed to its queue. On a device with fences (DeviceInfo::hasFences) there is a
// second list, which is closed when the node has been issued: a dependent on the same device needs no more, because a
// fence keeps the order there. Nothing here recurses and no thread waits: a chain of a million nodes is a million
// iterations of a stream's loop.
//
// States: queued -> ready (no unresolved dependency) -> submitted (given to a stream) -> issued (the stream has called
// Operation::issue) -> running -> ended (the command's own work is done) -> complete (its child commands are done as
// well; a negative status counts as complete). Ready, issued and ended are internal. OpenCL's execution model (section
// 3.2) puts ready after submitted. A command that a failed dependency stops is skipped.
#pragma once
#include "runtime/enqueue/DeferredCompletion.h"
#include "runtime/queue/Command.h"
#include "runtime/queue/LockedStream.h"
#include "runtime/support/FreeList.h"
#include "runtime/support/Futex.h"
#include "runtime/support/Thread.h"
#include <forward_list>
#include <vector>

namespace kiln {

class Queue;
class Event;

/// A checked wait list. Each event is referenced while the list lives.
using WaitList = std::vector<Ref<Event>>;

class Event final : public _cl_event, public Object, private Operation, private DeferredCompletion {
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
  /// CL_QUEUED, CL_SUBMITTED, CL_RUNNING, CL_COMPLETE, or a negative code.
  cl_int executionStatus() const { return cl_int(status_.load(std::memory_order_acquire)); }
  bool isComplete() const { return executionStatus() <= CL_COMPLETE; }
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

  /// What a dependency's failure does to the dependent.
  enum class EdgePolicy : uint8_t {
    IgnoreFailure, // a marker's or barrier's edges to earlier commands, and events that hold the bytes this one needs
    WaitListError, // fails with CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
    PropagateCode, // fails with the dependency's code: a transfer on its behalf
  };
  /// An entry in a dependency's list, which names one dependent. Stored in the dependent.
  struct Edge {
    Event *dependent = nullptr; // holds a reference
    Edge *next = nullptr;
    bool counted = false; // false: the device keeps the order, and only a failure is passed on
    EdgePolicy policy = EdgePolicy::WaitListError;
  };
  /// Only for events of a device with fences.
  struct FenceDependencies {
    std::vector<Ref<Event>> after; // on other streams; until this event is submitted
    std::vector<std::shared_ptr<Fence>> fences;
  };
  struct Listener; // a callback and the state that it waits for

  Event(Ref<Context> context, Ref<Queue> queue, Command command);
  ~Event() override;
  void lastHandleReleased() override;

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
  /// Adds an edge to `dependency`. If that is complete already, only takes over its failure, as `policy` says.
  void dependOn(Event &dependency, Edge &edge, bool counted, EdgePolicy policy);
  /// The same until `dependency` has been issued.
  void dependOnIssue(Event &dependency, Edge &edge, EdgePolicy policy);
  static bool pushEdge(std::atomic<Edge *> &list, Edge &edge);
  /// Resolves one dependency. Returns true if it was the last.
  bool countDown() { return unresolved_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  void dependencyFailed(EdgePolicy policy, cl_int code);
  /// Sets the final status and resolves the dependents.
  void complete(cl_int status);
  /// Returns true if a dependent became ready. The caller then calls drainReadyList.
  static bool resolveDependents(std::atomic<Edge *> &list, cl_int status);
  /// The device has the command, so commands on the same device may follow. The caller then releases its locks and
  /// calls drainReadyList.
  void issued() { (void)resolveDependents(issueDependents_, failure_.load(std::memory_order_relaxed)); }
  /// Returns true if the device keeps this event after `other`.
  bool isFencedBehind(const Event &other) const;
  /// Allocates `count` edges, and room for `others` dependencies on other streams of a device with fences, so that
  /// adding them cannot fail.
  void reserveEdges(size_t count, size_t others);
  /// Takes a reserved edge. Null if none is left.
  Edge *newEdge() {
    if (spareEdges_.empty())
      return nullptr;
    newEdges_.splice_after(newEdges_.before_begin(), spareEdges_, spareEdges_.before_begin());
    return &newEdges_.front();
  }
  /// Adds the event to the calling thread's list of ready events. Their queues are called later, because that takes
  /// locks.
  void pushToReadyList();
  /// Passes the events of the list to their queues. Called with no lock held.
  static void drainReadyList();
  bool isTransfer() const { return transfer_; }
  const char *name() const;

  const Ref<Context> context_;
  const Ref<Queue> queue_;
  const cl_command_type commandType_;
  std::atomic<uint32_t> status_;   // cl_int
  WaitQueue waitQueue_;            // on status_
  std::atomic<cl_int> failure_{0}; // of a dependency, or of the command itself
  const bool transfer_;
  const bool outlastsStream_; // the command may complete later than its stream has run it (DeferredCompletion.h)
  bool mayBeSkipped_ = false; // a dependency may still fail after this event is submitted

  std::atomic<uint32_t> unresolved_{1};          // plus one for the enqueue itself
  std::atomic<Edge *> dependents_{nullptr};      // closed once the node is complete
  std::atomic<Edge *> issueDependents_{nullptr}; // closed once the node is issued, on a device with fences
  std::array<Edge, 2> inlineEdges_;              // of this node, in its dependencies' lists
  std::unique_ptr<Edge[]> moreEdges_;            // replaces inlineEdges_ if there are more
  std::forward_list<Edge> earlierEdges_;         // to earlier commands of an out-of-order queue; addresses are stable
  std::forward_list<Edge> newEdges_;             // all others
  std::forward_list<Edge> spareEdges_;           // reserved for newEdges_
  std::unique_ptr<FenceDependencies> fenceDependencies_;
  std::atomic<uint32_t> pendingWrites_{0}; // in residency maps
  Event *nextReady_ = nullptr;             // in the ready list of a thread

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
