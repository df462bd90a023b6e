// A command queue: the order in which events become ready, and the streams that they are submitted to.
//
// In order: one stream. A command is submitted as soon as it is first in the list and its wait list is complete.
// Commands before it need not have ended, because the stream keeps order. Out of order: several streams. A command is
// submitted to one of them when its dependencies (its wait list and the last barrier) are complete.
#pragma once
#include "runtime/queue/Event.h"
#include "runtime/queue/ResidencyManager.h"
#include <list>

namespace kiln {

class Queue final : public _cl_command_queue, public Object {
public:
  static constexpr ObjectKind Kind = ObjectKind::Queue;

  /// `list` is the property list as given, with its terminator, or empty; `properties` are the bits in it.
  /// CL_INVALID_DEVICE, CL_INVALID_VALUE, CL_INVALID_QUEUE_PROPERTIES.
  static Result<Ref<Queue>> create(Context &context, DeviceObject &device, cl_command_queue_properties properties,
                                   std::vector<cl_queue_properties> list, QueueHints hints = {});
  ~Queue() override;

  Context &context() const { return *context_; }
  DeviceObject &device() const { return *device_; }
  cl_command_queue_properties properties() const { return properties_; }
  const std::vector<cl_queue_properties> &propertyList() const { return list_; }
  bool inOrder() const { return !(properties_ & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE); }
  bool profiling() const { return properties_ & CL_QUEUE_PROFILING_ENABLE; }

  /// Enqueues a command with the wait list `waits`. With `blocking`, returns when the command is complete, with its
  /// failure. `event` may be null; it is written after the last step that can fail.
  Status enqueue(Command command, const WaitList &waits, cl_event *event, bool blocking = false);
  /// For internal commands. The event may be waited for.
  Result<Ref<Event>> enqueueInternal(Command command, const WaitList &waits);
  /// clEnqueueMapBuffer and clEnqueueMapImage: the pointer is valid when the event is complete.
  Result<void *> enqueueMap(MapBuffer map, const WaitList &waits, cl_event *event, bool blocking);
  /// clEnqueueUnmapMemObject. CL_INVALID_VALUE if `pointer` is not a live map of the object.
  Status enqueueUnmap(MemObject &object, void *pointer, const WaitList &waits, cl_event *event);

  void flush() noexcept;
  /// Waits until every command enqueued so far is complete.
  void finish();

private:
  friend class Event;
  /// An event that must be flushed because an event of this queue waits for its bytes. Removed when that event does not
  /// wait any more: transfers hold a reference to the queue.
  struct Blocker {
    Ref<Event> blocking;
    const Event *blocked; // null once it does not wait any more
    bool flushed = false;
  };

  Queue(Context &context, DeviceObject &device, cl_command_queue_properties properties,
        std::vector<cl_queue_properties> list, std::vector<std::unique_ptr<LockedStream>> streams);
  void lastHandleReleased() override { flush(); }

  /// The two halves of an enqueue. If only the first one is called, or the second one throws std::bad_alloc, no state
  /// has changed.
  Result<Ref<Event>> createEvent(Command command, const WaitList &waits);
  Status enqueueEvent(Event &node, const WaitList &waits, cl_event *event, bool blocking, bool isWaitable = false);

  /// Adds the event's edges, appends it to the list, and submits it if it has no unresolved dependency. May throw
  /// std::bad_alloc before the first edge is added; no event has changed then. Returns true once the estimated time of
  /// all unflushed commands, `expected` nanoseconds included, reaches 30 us, when waking a pool thread pays.
  bool insert(Event &event, const WaitList &waits, uint64_t expected) KILN_EXCLUDES(mutex_);
  void addDependencies(Event &event, const WaitList &waits) KILN_REQUIRES(mutex_);
  /// All dependencies of the event are resolved, after its enqueue.
  void onReady(Event &event) noexcept KILN_EXCLUDES(mutex_);
  /// Adds an edge from `dependency` to `event`, counted until it is issued or until it is complete, as their devices
  /// allow. The event has reserved the memory.
  void addDependency(Event &event, Event &dependency, EdgePolicy policy) noexcept KILN_REQUIRES(mutex_);
  /// Returns true for a marker of an out-of-order queue that may be waited for. It depends on the completion of the
  /// others: a read is not complete when the device has passed it, since the host may still copy from the staging ring.
  bool endsWithOthers(const Event &event) const;
  /// Returns true if the device keeps the order of the two once `dependency` has been issued.
  bool fenceOrders(const Event &event, const Event &dependency) const;
  /// Called when `event` has no unresolved dependency. Out of order: submits it. In order: marks it ready and submits
  /// every ready event at the head of the list.
  void submitOrMarkReady(Event &event) noexcept KILN_REQUIRES(mutex_);
  /// In order: submits every ready event at the head of the list.
  void submitReadyHead() noexcept KILN_REQUIRES(mutex_);
  /// Called after events became ready outside an enqueue. Flushes the streams, because the application may have flushed
  /// the queue before these events were submitted. If the calling thread is inside `progressUntil` for this queue, it
  /// only sets a flag, and `progressUntil` runs them.
  void flushReady(bool blocked) noexcept KILN_EXCLUDES(mutex_);
  /// Plans the transfers that the event needs. Returns false if it must wait for other events first; it then becomes
  /// ready again when they are resolved.
  bool planTransfers(Event &event, TransferPlan &plan) noexcept KILN_REQUIRES(mutex_);
  /// Returns false if the event is not ready after all.
  bool submit(Event &event) noexcept KILN_REQUIRES(mutex_);
  bool planAndSubmit(Event &event) noexcept KILN_REQUIRES(mutex_);
  /// Records fences on the streams of the event's dependencies; `first`, the first of its transfers or the event
  /// itself, waits for them.
  void recordFences(Event &event, Event &first) KILN_REQUIRES(mutex_);
  /// Submits an event to its stream. It may be complete when this returns, and freed. `submitAndResolveIssued` also
  /// resolves dependents that wait for the issue; it is for transfers and for devices with fences.
  static void submitToStream(Event &event) noexcept;
  static void submitAndResolveIssued(Event &event) noexcept;
  /// Flushes blockers and drains the ready list. Called without the lock after anything that may have submitted or
  /// blocked an event.
  void flushBlockers(bool blocked) noexcept KILN_EXCLUDES(mutex_);
  void onEventComplete(Event &event) noexcept;
  /// Out of order: reserves an edge for every earlier incomplete event (`all`), or one for the last barrier. Returns
  /// their number.
  size_t reserveEarlierEdges(Event &event, bool all) KILN_REQUIRES(mutex_);
  void append(Event &event) KILN_REQUIRES(mutex_);
  void remove(Event &event) KILN_REQUIRES(mutex_);
  /// In order: removes the head of the list, which is about to be submitted.
  void popHead(Event &event) KILN_REQUIRES(mutex_);
  /// The calling thread waits for something of this queue. Meanwhile it runs work of the queue's streams, and of the
  /// streams that the queue's commands wait for.
  void progressUntil(WaitCondition done) noexcept KILN_EXCLUDES(mutex_);
  void progressStreams(WaitCondition done) noexcept;
  /// Returns the queues that commands of this one wait for and that were not flushed on its behalf yet, and in
  /// `blockers` the flushed events that block commands because of their bytes.
  std::vector<Ref<Queue>> takeQueuesToFlush(std::list<Blocker> &blockers) noexcept KILN_EXCLUDES(mutex_);
  /// The event waits for no blocker any more.
  void unblock(Event &event) KILN_REQUIRES(mutex_);

  const Ref<Context> context_;
  DeviceObject *const device_;
  const cl_command_queue_properties properties_;
  const std::vector<cl_queue_properties> list_;
  const std::vector<std::unique_ptr<LockedStream>> streams_;
  const bool hasFences_;                     // DeviceInfo::hasFences
  ResidencyManager *const residencyManager_; // of the context

  Mutex mutex_;
  // In order: events that are not submitted yet. Out of order: events that are not complete.
  Event *pendingHead_ KILN_GUARDED_BY(mutex_) = nullptr;
  Event *pendingTail_ KILN_GUARDED_BY(mutex_) = nullptr;
  bool waitsForChildren_ KILN_GUARDED_BY(mutex_) = false;         // in order: a submitted command outlasts its stream
  Ref<Event> lastBarrier_ KILN_GUARDED_BY(mutex_);                // out of order: until it is complete
  std::vector<Ref<Queue>> queuesToFlush_ KILN_GUARDED_BY(mutex_); // until the next flush or wait
  std::list<Blocker> blockers_ KILN_GUARDED_BY(mutex_);
  size_t nextStream_ KILN_GUARDED_BY(mutex_) = 0;
  uint32_t enqueued_ KILN_GUARDED_BY(mutex_) = 0;
  uint64_t unflushed_ KILN_GUARDED_BY(mutex_) = 0; // estimated nanoseconds of work

  // In order: the number of complete commands modulo 2^32, and the lowest number that a thread waits for.
  std::atomic<uint32_t> completed_{0}, wakeAt_{0};
  WaitQueue waitQueue_; // on completed_
};

} // namespace kiln
