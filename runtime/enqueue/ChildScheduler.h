// Runs the commands that kernels of one device enqueue.
//
// A launch of a kernel that enqueues has LaunchRecords, with an arena for its records (base/abi/EnqueueAbi.h). When the
// launch ends, the scheduler creates a ChildCommand for each record. It waits for the events that the record names, is
// submitted to a stream, and may have children in turn. A CompletionNode counts a command and its children. The
// children of a child without an event are attached to that child's parent, and the child is freed when its launch
// ends. So a chain of a million launches keeps at most two nodes alive.
//
// The runtime scans the events when a launch ends: which were acquired, completed or released, and which user events
// were set. So no waiting command starts before a launch ends.
#pragma once
#include "runtime/enqueue/DeviceQueues.h"
#include "runtime/enqueue/LaunchRecords.h"

namespace kiln {

class ChildScheduler {
public:
  /// The one of the device in the context.
  static ChildScheduler &of(const Context &context, const DeviceObject &device);
  /// `terminated` is Context::termination().
  ChildScheduler(DeviceObject &device, const std::atomic<bool> *terminated);
  ~ChildScheduler();

  DeviceObject &device() const { return device_; }
  const std::atomic<bool> *termination() const { return terminated_; }
  DeviceQueues &queues() { return queues_; }

  /// Creates the streams of the children at the first use. Before the first launch that may enqueue.
  Status prepare() KILN_EXCLUDES(queues_.mutex());
  /// Returns the arena, and starts a child that waits for one.
  void releaseArena(MirroredMemory arena) noexcept KILN_EXCLUDES(queues_.mutex());
  /// A launch that may have enqueued has ended. If it failed, its records are not read.
  void onLaunchEnded(LaunchRecords &of, LaunchRecords &root, CompletionNode &node, cl_int code) noexcept
      KILN_EXCLUDES(queues_.mutex());
  void onChildEnded(ChildCommand &child, cl_int code, uint64_t start, uint64_t end) noexcept
      KILN_EXCLUDES(queues_.mutex());

private:
  class ProfilingWriter;
  struct DeferredActions; // actions that a thread collects under the lock and runs without it

  static constexpr size_t Streams = 3; // besides the streams of launches by the host

  /// Turns the records of `of` into children of `node`.
  void readRecords(LaunchRecords &of, LaunchRecords &root, CompletionNode &node, DeferredActions &actions) noexcept
      KILN_REQUIRES(queues_.mutex());
  /// Returns the child; null if there is no memory for it. If the executor has run it, the child is complete after
  /// those that it owns.
  ChildCommand *readRecord(LaunchRecords &root, CompletionNode &node, const abi::EnqueueRecord &record,
                           const std::byte *operands, DeferredActions &actions) noexcept KILN_REQUIRES(queues_.mutex());
  /// Returns true if the record has no event, or if the executor has completed it. The child has run.
  bool isComplete(const abi::EnqueueRecord &record) KILN_REQUIRES(queues_.mutex());
  /// The executor has run the record's child and all that it owns.
  void countRecord(const abi::EnqueueRecord &record, const uint64_t *waits) noexcept KILN_REQUIRES(queues_.mutex());
  /// There is no memory for the record's child: does what the child's end would do.
  void dropRecord(CompletionNode &node, const abi::EnqueueRecord &record, const uint64_t *waits,
                  DeferredActions &actions) noexcept KILN_REQUIRES(queues_.mutex());
  void releaseArena(MirroredMemory arena, DeferredActions &actions) noexcept KILN_REQUIRES(queues_.mutex());

  void addWaiter(ChildCommand &child, uint64_t event) noexcept KILN_REQUIRES(queues_.mutex());
  void onDependencyComplete(ChildCommand &child, cl_int status, DeferredActions &actions)
      KILN_REQUIRES(queues_.mutex());
  void completeChild(ChildCommand &child, cl_int code, DeferredActions &actions) noexcept
      KILN_REQUIRES(queues_.mutex());
  /// One of the commands that the node counts is complete.
  void countDown(CompletionNode *node, DeferredActions &actions) KILN_REQUIRES(queues_.mutex());

  void completeEvent(uint32_t event, cl_int status, DeferredActions &actions) KILN_REQUIRES(queues_.mutex());
  /// Scans all events in use.
  void scanEvents(DeferredActions &actions) KILN_REQUIRES(queues_.mutex());
  /// Applies a kernel's changes to one event, and frees the event when it is complete and has no reference.
  void scanEvent(uint32_t event, DeferredActions &actions) KILN_REQUIRES(queues_.mutex());
  /// Writes a complete command's profiling times to the address that a kernel gave. Returns true if that takes a copy;
  /// the event is complete after it.
  bool publishProfiling(uint32_t event, DeferredActions &actions) KILN_REQUIRES(queues_.mutex());

  /// Runs the actions, and those that they add.
  void run(DeferredActions &actions) noexcept KILN_EXCLUDES(queues_.mutex());
  /// Returns true if the child must wait until a launch releases its arena.
  bool mustWaitForArena(ChildCommand &child) KILN_EXCLUDES(queues_.mutex());

  DeviceObject &device_;
  const std::atomic<bool> *const terminated_;
  DeviceQueues queues_;
  ChildCommand *waitingForArena_ KILN_GUARDED_BY(queues_.mutex()) = nullptr; // ready, but without an arena
  std::vector<std::unique_ptr<LockedStream>> streams_;                       // constant after prepare
  size_t nextStream_ KILN_GUARDED_BY(queues_.mutex()) = 0;
};

} // namespace kiln
