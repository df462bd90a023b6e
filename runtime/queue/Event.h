// An event: one node of the event graph, with the command it stands for. A user event is a node without one.
//
// A node has a count of open dependencies; every incomplete dependency knows its dependents through Edges, which lie
// inside the dependents. When a node ends it closes its list of edges and counts its dependents down; one that reaches
// zero goes to its queue. On a device that orders its streams there is a second list, closed when the node has been
// issued: what runs on the same device need not wait for more, for a fence keeps the order there. Nothing here recurses
// and no thread waits: a chain of a million nodes is a million turns of some stream's loop.
#pragma once
#include "runtime/enqueue/DeferredCompletion.h"
#include "runtime/queue/Command.h"
#include "runtime/queue/LockedStream.h"
#include "runtime/support/Futex.h"
#include "runtime/support/Recycle.h"
#include "runtime/support/Thread.h"
#include <forward_list>
#include <vector>

namespace kiln {

class Queue;
class Event;

/// What a caller names to wait for, checked: each is held while the list lives.
using WaitList = std::vector<Ref<Event>>;

class Event final : public _cl_event, public Object, private Operation, private DeferredCompletion {
public:
  static constexpr ObjectKind Kind = ObjectKind::Event;
  using Callback = void(CL_CALLBACK *)(cl_event event, cl_int status, void *userData);

  static void *operator new(size_t size) { return Recycler<sizeof(Event)>::take(); }
  static void operator delete(void *memory) { Recycler<sizeof(Event)>::give(memory); }

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
  bool isComplete() const { return executionStatus() <= CL_COMPLETE; }
  /// The same for the application, which may be asking until it has ended: what nobody flushed runs from then on.
  cl_int polledStatus() const;

  /// clSetEventCallback; called from here when the state is reached already.
  Status addCallback(cl_int state, Callback callback, void *userData);
  /// clGetEventProfilingInfo: CL_PROFILING_INFO_NOT_AVAILABLE, CL_INVALID_VALUE.
  Result<cl_ulong> profilingTime(cl_profiling_info which) const;

  /// Waits until the event has ended, and helps with its queue meanwhile. Flushes the queue.
  void wait() noexcept;
  /// clWaitForEvents: flushes the queues of all, waits for all; an event that failed is
  /// CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST. The list is not empty and of one context.
  static Status waitFor(const WaitList &events);

  /// How often the book of residencies names this event.
  void addPendingWrite() { pendingWrites_.fetch_add(1, std::memory_order_relaxed); }
  void removePendingWrite() { pendingWrites_.fetch_sub(1, std::memory_order_relaxed); }

private:
  friend class Queue;
  friend class ResidencyManager;

  /// What a dependency's failure is to its dependent.
  enum class EdgePolicy : uint8_t {
    IgnoreFailure, // nothing: it is waited for because of where bytes are
    WaitListError, // CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
    PropagateCode, // its own failure: a transfer on its behalf
  };
  /// Says to `dependent` that this edge's owner has ended, or has been issued. Lives in the dependent.
  struct Edge {
    Event *dependent = nullptr; // held
    Edge *next = nullptr;
    bool counted = false; // false: order comes from the device, only failure is passed on
    EdgePolicy policy = EdgePolicy::WaitListError;
  };
  /// Of events on a device that orders its streams.
  struct FenceDependencies {
    std::vector<Ref<Event>> after; // on other streams; until this one goes to its own
    std::vector<std::shared_ptr<Fence>> fences;
  };
  struct Listener; // a callback and what it waits for

  Event(Ref<Context> context, Ref<Queue> queue, Command command);
  ~Event() override;
  void lastHandleReleased() override;

  Status issue(Stream &stream) noexcept override;
  Status issueOrThrow(Stream &stream);
  void onEnded(cl_int code, uint64_t start, uint64_t end) noexcept override;
  void onDeferredComplete(cl_int code) noexcept override;
  /// The command has ended, and so has all that it left to others.
  void onComplete(cl_int code) noexcept;

  /// A device that orders its streams may be further than anybody has noticed: what waited for this event may be known
  /// to have ended before it is itself. Asks once.
  void poll() const noexcept;
  /// Moves the status down and tells listeners and sleepers. Calls nothing of the application's: that is left to the
  /// callback thread.
  void setStatus(cl_int status) noexcept;
  void notifyListeners(cl_int status) noexcept KILN_EXCLUDES(listenerMutex_);
  /// Makes this node wait for `dependency`, or take over its failure when it has ended.
  void dependOn(Event &dependency, Edge &edge, bool counted, EdgePolicy policy);
  /// The same until `dependency` has been issued.
  void dependOnIssue(Event &dependency, Edge &edge, EdgePolicy policy);
  static bool pushEdge(std::atomic<Edge *> &list, Edge &edge);
  /// One dependency less; true for the last one.
  bool countDown() { return unresolved_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  void dependencyFailed(EdgePolicy policy, cl_int code);
  /// Ends the node and counts its dependents down.
  void complete(cl_int status);
  /// True when one became ready: then releaseReady is due.
  static bool resolveDependents(std::atomic<Edge *> &list, cl_int status);
  /// The stream's device has the command in hand: what runs there may follow. Whoever calls it lets go of its locks and
  /// calls releaseReady.
  void issued() { (void)resolveDependents(issueDependents_, failure_.load(std::memory_order_relaxed)); }
  /// Whether the order behind `other` is kept by the device.
  bool isFencedBehind(const Event &other) const;
  /// Memory for so many edges to come, and for `others` on other streams of a device that orders its streams: linking
  /// must not fail half-way.
  void reserveEdges(size_t count, size_t others);
  /// One of those that were reserved; null when there is none left.
  Edge *newEdge() {
    if (spareEdges_.empty())
      return nullptr;
    newEdges_.splice_after(newEdges_.before_begin(), spareEdges_, spareEdges_.before_begin());
    return &newEdges_.front();
  }
  /// Puts the event on this thread's list of those that go to their queues, which takes locks.
  void pushToReadyList();
  /// Works the list off. Called with no lock held.
  static void drainReadyList();
  bool isTransfer() const { return transfer_; }
  const char *name() const;

  const Ref<Context> context_;
  const Ref<Queue> queue_;
  const cl_command_type commandType_;
  std::atomic<uint32_t> status_;   // a cl_int
  Sleepers sleepers_;              // on status_
  std::atomic<cl_int> failure_{0}; // of a dependency
  const bool transfer_;
  const bool outlastsStream_; // the command may be complete later than its stream says (Ancestor.h)
  bool mayBeSkipped_ = false; // a dependency may still fail when this has gone to its stream

  std::atomic<uint32_t> unresolved_{1};          // dependencies that are still to come, and the enqueue itself
  std::atomic<Edge *> dependents_{nullptr};      // Closed once the node has ended
  std::atomic<Edge *> issueDependents_{nullptr}; // Closed once the node has been issued, if the device orders streams
  std::array<Edge, 2> inlineEdges_;              // of this node, in its dependencies' lists
  std::unique_ptr<Edge[]> moreEdges_;            // instead of them where there are more
  std::forward_list<Edge> earlierEdges_;         // to earlier commands of an out-of-order queue; they must not move
  std::forward_list<Edge> newEdges_;             // all others
  std::forward_list<Edge> spareEdges_;           // reserved for them
  std::unique_ptr<FenceDependencies> fenceDependencies_;
  std::atomic<uint32_t> pendingWrites_{0}; // in residencies
  Event *nextReady_ = nullptr;             // the list of the thread that made it ready

  LockedStream *stream_ = nullptr; // set when it is next
  bool isReady_ = false;           // in an in-order queue: only its place in line is missing; guarded by the queue
  Event *nextPending_ = nullptr, *previousPending_ = nullptr; // the queue's list; guarded by the queue

  std::atomic<uint64_t> queuedTime_{0}, submitTime_{0}, startTime_{0}, endTime_{0}, completeTime_{0};
  std::atomic<bool> hasListeners_{false};
  Mutex listenerMutex_;
  struct Listeners {
    Listener *first = nullptr, *last = nullptr;
  };
  std::array<Listeners, CL_SUBMITTED + 1> listeners_ KILN_GUARDED_BY(listenerMutex_); // by the state that they wait for
  Command command_;
};

} // namespace kiln
