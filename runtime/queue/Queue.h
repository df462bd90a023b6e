// A command queue: the order in which events become ready, and the device's streams that they go to.
//
// In order: one stream. A command goes to it as soon as it heads the line and its wait list has ended; what was
// submitted before it need not have ended, for the stream keeps order. Out of order: several streams; a command goes to
// one of them when its dependencies (its wait list, the last barrier) have ended.
#pragma once
#include "runtime/queue/Event.h"
#include "runtime/queue/ResidencyManager.h"
#include <list>

namespace kiln {

class Queue final : public _cl_command_queue, public Object {
public:
  static constexpr ObjectKind Kind = ObjectKind::Queue;

  /// `list` is the property list as given, its terminator included, or empty; `properties` the bits it says.
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

  /// Enqueues a command behind `waits`. With `blocking`, returns when it has ended, and its failure is the call's.
  /// `event` may be null; it is written when nothing can fail any more.
  Status enqueue(Command command, const WaitList &waits, cl_event *event, bool blocking = false);
  /// For commands that are Kiln's own. The event may be waited for.
  Result<Ref<Event>> enqueueOwn(Command command, const WaitList &waits);
  /// clEnqueueMapBuffer and clEnqueueMapImage: the pointer is valid when the event is complete.
  Result<void *> enqueueMap(MapBuffer map, const WaitList &waits, cl_event *event, bool blocking);
  /// clEnqueueUnmapMemObject: CL_INVALID_VALUE when `pointer` is no live map of the object.
  Status enqueueUnmap(MemObject &object, void *pointer, const WaitList &waits, cl_event *event);

  void flush() noexcept;
  /// Waits until everything enqueued so far has ended.
  void finish();

private:
  friend class Event;
  /// What an event of this queue waits for because of where its bytes are: to be flushed, then to be helped. It is
  /// there no longer than the event waits: transfers hold the queue.
  struct Blocker {
    Ref<Event> blocking;
    const Event *blocked; // null once it does not wait any more
    bool flushed = false;
  };

  Queue(Context &context, DeviceObject &device, cl_command_queue_properties properties,
        std::vector<cl_queue_properties> list, std::vector<std::unique_ptr<LockedStream>> streams);
  void lastHandleReleased() override { flush(); }

  /// The two halves of an enqueue. A command that only got through the first one has left no trace; where the second
  /// one throws (there is no memory), it has not either.
  Result<Ref<Event>> createEvent(Command command, const WaitList &waits);
  Status enqueueEvent(Event &node, const WaitList &waits, cl_event *event, bool blocking, bool isWaitable = false);

  /// Links the event to its dependencies and lets it go when there are none. May throw, for want of memory, and nothing
  /// has happened then; from the first link on it cannot. True when what waits for a flush, with these `expected`
  /// nanoseconds more, is worth waking somebody.
  bool insert(Event &event, const WaitList &waits, uint64_t expected) KILN_EXCLUDES(mutex_);
  void addDependencies(Event &event, const WaitList &waits) KILN_REQUIRES(mutex_);
  /// All dependencies of the event have ended, after its enqueue.
  void onReady(Event &event) noexcept KILN_EXCLUDES(mutex_);
  /// Makes `event`, which has reserved what that takes, follow `dependency`, in the way that their devices allow.
  void addDependency(Event &event, Event &dependency, Event::Edge &edge, Event::EdgePolicy policy) noexcept
      KILN_REQUIRES(mutex_);
  /// A marker whose end is looked at: it says that others have ended, and a read has not ended when the device has
  /// passed it, as the host still copies.
  bool endsWithOthers(const Event &event) const;
  /// Whether the order of the two is kept by the device once `dependency` has been issued.
  bool fenceOrders(const Event &event, const Event &dependency) const;
  /// Gives the stream what may go to it, now that `event` may.
  void submitOrMarkReady(Event &event) noexcept KILN_REQUIRES(mutex_);
  /// In order: the same for what is in line.
  void submitReadyHead() noexcept KILN_REQUIRES(mutex_);
  /// Behind something that became ready: what is submitted now must run.
  void flushReady(bool blocked) noexcept KILN_EXCLUDES(mutex_);
  /// Brings the bytes that the event uses on their way. False when it must wait for others first: then it is not ready
  /// until they have come.
  bool planTransfers(Event &event, TransferPlan &plan) noexcept KILN_REQUIRES(mutex_);
  /// False when it is not ready after all.
  bool submit(Event &event) noexcept KILN_REQUIRES(mutex_);
  bool planAndSubmit(Event &event) noexcept KILN_REQUIRES(mutex_);
  /// Fences for what the event follows on other streams.
  void recordFences(Event &event, Event &first) KILN_REQUIRES(mutex_);
  /// Gives an event to its stream; it may have ended when this returns. `give` does the same for transfers and for
  /// devices that order their streams.
  static void submitToStream(Event &event) noexcept;
  static void submitAndResolveIssued(Event &event) noexcept;
  /// After anything that may have let an event go or found it waiting: what must happen without the lock.
  void flushBlockers(bool blocked) noexcept KILN_EXCLUDES(mutex_);
  void onEventComplete(Event &event) noexcept;
  /// Out of order: one edge for every earlier event that has not ended, or one for the last barrier.
  void reserveBarrierEdges(Event &event, bool all) KILN_REQUIRES(mutex_);
  void append(Event &event) KILN_REQUIRES(mutex_);
  void remove(Event &event) KILN_REQUIRES(mutex_);
  /// In order: the head of the line goes to its stream.
  void popHead(Event &event) KILN_REQUIRES(mutex_);
  /// Offers the calling thread, which waits for something of this queue, to its streams and to those of the queues that
  /// it waits for.
  void progressUntil(WaitCondition done) noexcept KILN_EXCLUDES(mutex_);
  void progressStreams(WaitCondition done) noexcept;
  /// The queues that commands of this one wait for, and that nobody has flushed on its behalf yet; and the events that
  /// hold up commands because of where bytes are, once they have been flushed.
  std::vector<Ref<Queue>> takeQueuesToFlush(std::list<Blocker> &blockers) noexcept KILN_EXCLUDES(mutex_);
  /// Nothing holds the event up any more.
  void unblock(Event &event) KILN_REQUIRES(mutex_);

  const Ref<Context> context_;
  DeviceObject *const device_;
  const cl_command_queue_properties properties_;
  const std::vector<cl_queue_properties> list_;
  const std::vector<std::unique_ptr<LockedStream>> streams_;
  const bool hasFences_;                     // DeviceInfo::ordersStreams
  ResidencyManager *const residencyManager_; // the context's

  Mutex mutex_;
  // In order: events that are not submitted yet. Out of order: events that have not ended.
  Event *pendingHead_ KILN_GUARDED_BY(mutex_) = nullptr;
  Event *pendingTail_ KILN_GUARDED_BY(mutex_) = nullptr;
  bool waitsForChildren_ KILN_GUARDED_BY(mutex_) = false; // in order: a command is under way that outlasts its stream
  Ref<Event> lastBarrier_ KILN_GUARDED_BY(mutex_);        // out of order: until it has ended
  std::vector<Ref<Queue>> queuesToFlush_ KILN_GUARDED_BY(mutex_); // until the next flush or wait
  std::list<Blocker> blockers_ KILN_GUARDED_BY(mutex_);
  size_t nextStream_ KILN_GUARDED_BY(mutex_) = 0;
  uint32_t enqueued_ KILN_GUARDED_BY(mutex_) = 0;
  uint64_t unflushed_ KILN_GUARDED_BY(mutex_) = 0; // nanoseconds of work, about

  // In order: how many have ended, modulo 2^32, and up to where somebody waits.
  std::atomic<uint32_t> completed_{0}, wakeAt_{0};
  Sleepers sleepers_; // on completed_
};

} // namespace kiln
