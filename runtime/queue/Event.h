// An event: one node of the event graph, with the command it stands for. A user event is a node without one.
//
// A node has a count of open dependencies; every incomplete dependency knows its dependents through Edges, which lie
// inside the dependents. When a node ends it closes its list of edges and counts its dependents down; one that reaches
// zero goes to its queue. Nothing here recurses and no thread waits: a chain of a million nodes is a million turns of
// some stream's loop.
#pragma once
#include "runtime/queue/Command.h"
#include "runtime/support/Futex.h"
#include <forward_list>
#include <vector>

namespace kiln {

class Queue;
class Event;

/// What a caller names to wait for, checked: each is held while the list lives.
using WaitList = std::vector<Ref<Event>>;

class Event final : public _cl_event, public Object, private Operation {
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
  /// CL_QUEUED down to CL_COMPLETE, or negative.
  cl_int executionStatus() const { return cl_int(status_.load(std::memory_order_acquire)); }
  bool ended() const { return executionStatus() <= CL_COMPLETE; }
  /// The same for the application, which may be asking until it has ended: what nobody flushed runs from then on.
  cl_int polledStatus() const;

  /// clSetEventCallback; called from here when the state is reached already.
  Status addCallback(cl_int state, Callback callback, void *userData);
  /// clGetEventProfilingInfo: CL_PROFILING_INFO_NOT_AVAILABLE, CL_INVALID_VALUE.
  Result<cl_ulong> profilingTime(cl_profiling_info which) const;

  /// Waits until the event has ended, and helps with its queue meanwhile. Flushes the queue.
  void wait();
  /// clWaitForEvents: flushes the queues of all, waits for all; an event that failed is
  /// CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST. The list is not empty and of one context.
  static Status waitFor(const WaitList &events);

private:
  friend class Queue;

  /// Says to `dependent` that this edge's owner has ended. Lives in the dependent.
  struct Edge {
    Event *dependent = nullptr; // held
    Edge *next = nullptr;
    bool counted = false; // false: order comes from the stream, only failure is passed on
  };
  struct Listener {
    cl_int state;
    Callback callback;
    void *userData;
  };

  Event(Ref<Context> context, Ref<Queue> queue, Command command);
  ~Event() override;
  void lastHandleReleased() override;

  Status issue(Stream &stream) override;
  void ended(cl_int code, uint64_t start, uint64_t end) override;

  /// Moves the status down and tells listeners and sleepers. Calls nothing of the application's: that is left to the
  /// callback thread.
  void advance(cl_int status);
  void tellListeners(cl_int status) KILN_EXCLUDES(listenerMutex_);
  /// Makes this node wait for `dependency`, or take over its failure when it has ended.
  void dependOn(Event &dependency, Edge &edge, bool counted);
  /// One dependency less; true for the last one.
  bool countDown() { return open_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  void dependencyFailed(cl_int code);
  /// Ends the node and counts its dependents down.
  void finish(cl_int status);
  void releaseDependents(cl_int status);

  const Ref<Context> context_;
  const Ref<Queue> queue_;
  const cl_command_type commandType_;
  std::atomic<uint32_t> status_;   // a cl_int
  Sleepers sleepers_;              // on status_
  std::atomic<cl_int> failure_{0}; // of a dependency

  std::atomic<uint32_t> open_{1};           // dependencies that have not ended, and the enqueue itself
  std::atomic<Edge *> dependents_{nullptr}; // Closed once the node has ended
  std::array<Edge, 2> inlineEdges_;         // of this node, in its dependencies' lists
  std::unique_ptr<Edge[]> moreEdges_;       // instead of them where there are more
  std::forward_list<Edge> earlierEdges_;    // to earlier commands of an out-of-order queue; they must not move

  Stream *stream_ = nullptr; // set when submitted
  bool ready_ = false;       // in an in-order queue: only its place in line is missing; guarded by the queue
  Event *nextInLine_ = nullptr, *previousInLine_ = nullptr; // the queue's list; guarded by the queue

  std::atomic<uint64_t> queuedTime_{0}, submitTime_{0}, startTime_{0}, endTime_{0};
  std::atomic<bool> hasListeners_{false};
  Mutex listenerMutex_;
  std::vector<Listener> listeners_ KILN_GUARDED_BY(listenerMutex_);
  Command command_;
};

} // namespace kiln
