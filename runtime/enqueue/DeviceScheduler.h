// Runs what kernels enqueue on one device of a context: device queues, events, arenas, and child commands.
//
// A launch of a kernel that enqueues has LaunchRecords, with an arena for its records (backends/EnqueueAbi.h). When the
// launch ends, the scheduler creates a ChildCommand for each record. It waits for the events that the record names, is
// submitted to a stream, and may have children in turn. A CompletionNode counts a command and its children. The
// children of a child without an event are attached to that child's parent, and the child is freed when its launch
// ends. So a chain of a million launches keeps at most two nodes alive.
//
// In kernels an event is an index. The runtime scans the events when a launch ends: which were acquired, completed or
// released, and which user events were set. So no waiting command starts before a launch ends.
#pragma once
#include "backends/EnqueueAbi.h"
#include "runtime/enqueue/DeferredCompletion.h"
#include "runtime/enqueue/DeviceQueue.h"
#include "runtime/enqueue/MirroredMemory.h"
#include "runtime/program/DeviceProgram.h"
#include "runtime/queue/LockedStream.h"
#include "runtime/support/Mutex.h"

namespace kiln {

/// Counts a command and its children. Complete when `pending` is zero.
struct CompletionNode {
  CompletionNode *parent = nullptr;
  uint64_t pending = 1; // children, and the command itself
  cl_int code = CL_SUCCESS;
  DeferredCompletion *completion = nullptr; // of a launch by the host
  struct ChildCommand *child = nullptr;     // of a child command
  CompletionNode *nextComplete = nullptr;
};

/// What the program's build options say about enqueues.
struct EnqueueRules {
  bool detailed = false; // return specific error codes (-g)
  bool uniform = false;  // local sizes must divide global sizes
};

class DeviceScheduler;

/// A launch's arena, and so what the launch enqueues.
class LaunchRecords {
public:
  LaunchRecords(DeviceScheduler &scheduler, std::shared_ptr<const DeviceProgram> program, EnqueueRules rules,
                std::vector<Ref<DeviceQueue>> queues)
      : scheduler_(scheduler), program_(std::move(program)), rules_(rules), queues_(std::move(queues)) {}
  ~LaunchRecords();

  /// Issued before the launch; sets `address` to the value of Launch::enqueueArena.
  Status begin(Stream &stream, uint64_t &address);
  /// Issued after the launch.
  Status end(Stream &stream);
  /// The launch, by the host, has ended with success on `stream`: starts its children. Calls `completion`, possibly
  /// before it returns, when the last descendant is complete; this object must live until then.
  void startChildren(DeferredCompletion &completion, LockedStream &stream) noexcept;

private:
  friend class DeviceScheduler;
  friend struct ChildCommand;
  class RemainingRecords;
  /// The launch has ended: its records become children of `node`, the launch's own, in the tree below `root`.
  void collectRecords(LaunchRecords &root, CompletionNode &node, cl_int code) noexcept;
  /// The number of bytes of records in the arena. Kernels may have written any number there; it is limited to the
  /// arena's size.
  size_t usedBytes() const;
  /// A copy of the events, made after the launch. Only if the host cannot access them.
  const std::byte *snapshot() const { return arena_.host() + arena_.size(); }

  DeviceScheduler &scheduler_;
  const std::shared_ptr<const DeviceProgram> program_;
  const EnqueueRules rules_;
  const std::vector<Ref<DeviceQueue>> queues_; // that the launch has as arguments, so that it may enqueue to them
  MirroredMemory arena_;
  size_t records_ = 0; // offset in the arena
  CompletionNode root_;
  LockedStream *launchStream_ = nullptr; // the stream of a launch by the host
};

class DeviceScheduler {
public:
  explicit DeviceScheduler(DeviceObject &device);
  ~DeviceScheduler();

  // ---- queues
  /// CL_OUT_OF_RESOURCES if the device has no more queues.
  Status add(DeviceQueue &queue) KILN_EXCLUDES(mutex_);
  void remove(DeviceQueue &queue) noexcept KILN_EXCLUDES(mutex_);
  Ref<DeviceQueue> defaultQueue() KILN_EXCLUDES(mutex_);
  void setDefault(DeviceQueue &queue) KILN_EXCLUDES(mutex_);
  /// Returns the default queue. Makes `queue` the default if there is none.
  Ref<DeviceQueue> getOrSetDefault(DeviceQueue &queue) KILN_EXCLUDES(mutex_);
  void clearDefault(DeviceQueue &queue) KILN_EXCLUDES(mutex_);

private:
  friend class LaunchRecords;
  friend struct ChildCommand;
  struct EventSlot; // an event
  class ProfilingWriter;
  struct DeferredActions; // actions that a thread collects under the lock and runs without it

  Status prepare() KILN_REQUIRES(mutex_);
  Result<MirroredMemory> acquireArena(size_t head) KILN_EXCLUDES(mutex_);
  void releaseArena(MirroredMemory arena) noexcept KILN_EXCLUDES(mutex_);
  void keepArena(MirroredMemory arena, DeferredActions &actions) KILN_REQUIRES(mutex_);
  bool mustWaitForArena(ChildCommand &child) KILN_EXCLUDES(mutex_);
  uint64_t eventsAddress() KILN_EXCLUDES(mutex_);
  size_t eventBytes() const;
  /// Copies the events to `to` if the host cannot access them. After eventsAddress.
  Status downloadEvents(Stream &stream, std::byte *to) KILN_NO_THREAD_SAFETY;

  /// Turns the records in the arena of `of` into children of `node`.
  void readRecords(LaunchRecords &of, LaunchRecords &root, CompletionNode &node, DeferredActions &actions) noexcept
      KILN_REQUIRES(mutex_);
  void readRecord(LaunchRecords &root, CompletionNode &node, const abi::EnqueueRecord &record,
                  const std::byte *operands, DeferredActions &actions) noexcept KILN_REQUIRES(mutex_);
  /// There is no memory for the record's child: does what the child's end would do.
  void dropRecord(CompletionNode &node, const abi::EnqueueRecord &record, const uint64_t *waits,
                  DeferredActions &actions) noexcept KILN_REQUIRES(mutex_);
  size_t queueIndex(const abi::EnqueueRecord &record) const KILN_REQUIRES(mutex_);
  void onChildEnded(ChildCommand &child, cl_int code, uint64_t start, uint64_t end) noexcept KILN_EXCLUDES(mutex_);
  void completeChild(ChildCommand &child, cl_int code, DeferredActions &actions) noexcept KILN_REQUIRES(mutex_);
  /// A launch that may have enqueued has ended. If it failed, its records are not read.
  void onLaunchEnded(LaunchRecords &of, LaunchRecords &root, CompletionNode &node, cl_int code) noexcept
      KILN_EXCLUDES(mutex_);
  void releaseQueueBytes(size_t queue, uint64_t bytes) KILN_REQUIRES(mutex_);
  /// One of the commands that the node counts is complete.
  void countDown(CompletionNode *node, DeferredActions &actions) KILN_REQUIRES(mutex_);
  void onDependencyComplete(ChildCommand &child, cl_int status, DeferredActions &actions) KILN_REQUIRES(mutex_);
  /// Runs the actions, and those that they add.
  void run(DeferredActions &actions) noexcept KILN_EXCLUDES(mutex_);

  /// Null for an event that is complete and released.
  EventSlot *find(uint64_t event) KILN_REQUIRES(mutex_);
  void addWaiter(ChildCommand &child, uint64_t event) noexcept KILN_REQUIRES(mutex_);
  void completeEvent(EventSlot &slot, cl_int status, DeferredActions &actions) KILN_REQUIRES(mutex_);
  void applySnapshot(const std::byte *snapshot) KILN_REQUIRES(mutex_);
  /// Writes a complete command's profiling times to the address that a kernel gave. Returns true if that takes a copy;
  /// the event is complete after it.
  bool publishProfiling(uint32_t number, DeferredActions &actions) KILN_REQUIRES(mutex_);
  /// Finds the events that kernels have acquired since the last scan. Called before the records that name them are
  /// read.
  void scanNewEvents() KILN_REQUIRES(mutex_);
  /// Scans all events in use.
  void scanEvents(DeferredActions &actions) KILN_REQUIRES(mutex_);
  /// Applies a kernel's changes to one event, and frees the event when it is complete and has no reference.
  void scanEvent(uint32_t number, DeferredActions &actions) KILN_REQUIRES(mutex_);

  abi::DeviceQueue *queueTable() const KILN_REQUIRES(mutex_);
  abi::DeviceEvents *eventTable() KILN_REQUIRES(mutex_);

  DeviceObject &device_;
  Mutex mutex_;
  // The tables that the runtime writes, and those that kernels write. Allocated at the first use.
  std::unique_ptr<Memory> hostWrittenTables_ KILN_GUARDED_BY(mutex_);
  MirroredMemory kernelWrittenTables_ KILN_GUARDED_BY(mutex_);
  template <typename T> T *hostWrittenAt(size_t offset) KILN_REQUIRES(mutex_) {
    return reinterpret_cast<T *>(static_cast<std::byte *>(hostWrittenTables_->host) + offset);
  }
  std::vector<DeviceQueue *> queues_ KILN_GUARDED_BY(mutex_); // by index; null for a free one
  DeviceQueue *default_ KILN_GUARDED_BY(mutex_) = nullptr;
  uint64_t largest_ KILN_GUARDED_BY(mutex_) = 0;               // the largest capacity of a queue so far
  std::vector<MirroredMemory> arenas_ KILN_GUARDED_BY(mutex_); // for reuse
  size_t arenasInUse_ KILN_GUARDED_BY(mutex_) = 0;
  ChildCommand *waitingForArena_ KILN_GUARDED_BY(mutex_) = nullptr; // ready, but without an arena
  std::vector<EventSlot> events_ KILN_GUARDED_BY(mutex_);
  uint64_t seen_ KILN_GUARDED_BY(mutex_) = 0;          // acquired events at the last scan
  std::vector<uint32_t> live_ KILN_GUARDED_BY(mutex_); // indices of the events in use
  std::vector<std::unique_ptr<LockedStream>> streams_; // created with the tables
  size_t nextStream_ KILN_GUARDED_BY(mutex_) = 0;
};

} // namespace kiln
