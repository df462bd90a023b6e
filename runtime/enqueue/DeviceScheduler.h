// Runs what kernels enqueue, on one device of a context.
//
// A launch of a kernel that enqueues has a Children. It gives the launch an arena for records (backends/EnqueueAbi.h).
// When the launch has ended the scheduler makes a Child of each record, which waits for the events that it names and
// then goes to a stream, and may have children in turn. What has children is complete when they are: a Family counts
// them. A child that nobody can ask about, having no event, hands its own children up to its parent and goes, so that
// a chain of a million launches is never longer than two.
//
// Kernels know events by number. Which are taken, completed and released, and which user events were set, is seen when
// a launch has ended; nothing that waits starts earlier than that.
#pragma once
#include "backends/EnqueueAbi.h"
#include "runtime/enqueue/DeferredCompletion.h"
#include "runtime/enqueue/DeviceQueue.h"
#include "runtime/enqueue/MirroredMemory.h"
#include "runtime/program/DeviceProgram.h"
#include "runtime/queue/LockedStream.h"
#include "runtime/support/Mutex.h"

namespace kiln {

/// What is complete when it has ended and all its children are.
struct CompletionNode {
  CompletionNode *parent = nullptr;
  uint64_t pending = 1; // children, and itself
  cl_int code = CL_SUCCESS;
  DeferredCompletion *completion = nullptr; // of a launch from the host
  struct ChildCommand *child = nullptr;     // of another
  CompletionNode *nextComplete = nullptr;
};

/// What a program lets its kernels do when they enqueue.
struct EnqueueRules {
  bool detailed = false; // errors are told apart
  bool uniform = false;  // local sizes have to divide global ones
};

class DeviceScheduler;

/// A launch's arena, and with that what it enqueues.
class LaunchRecords {
public:
  LaunchRecords(DeviceScheduler &scheduler, std::shared_ptr<const DeviceProgram> program, EnqueueRules rules,
                std::vector<Ref<DeviceQueue>> queues)
      : scheduler_(scheduler), program_(std::move(program)), rules_(rules), queues_(std::move(queues)) {}
  ~LaunchRecords();

  /// Before the launch: `address` gets what it wants as Launch::enqueueArena.
  Status begin(Stream &stream, uint64_t &address);
  /// Behind it.
  Status end(Stream &stream);
  /// The launch, from the host, has ended well on `stream`: runs what it enqueued. `ancestor` is told of the end,
  /// perhaps before this returns, and this lives until then.
  void startChildren(DeferredCompletion &completion, LockedStream &stream) noexcept;

private:
  friend class DeviceScheduler;
  friend struct ChildCommand;
  class RemainingRecords;
  /// The launch has ended: what it enqueued becomes children of `family`, its own, in the tree below `root`.
  void collectRecords(LaunchRecords &root, CompletionNode &node, cl_int code) noexcept;
  /// What the events were when the launch had ended, where the host does not see them.
  const std::byte *snapshot() const { return arena_.host() + arena_.size(); }

  DeviceScheduler &scheduler_;
  const std::shared_ptr<const DeviceProgram> program_;
  const EnqueueRules rules_;
  const std::vector<Ref<DeviceQueue>> queues_; // that the launch was given, and so may enqueue to
  MirroredMemory arena_;
  size_t records_ = 0; // where they begin there
  CompletionNode root_;
  LockedStream *launchStream_ = nullptr; // of a launch from the host: where it ran
};

class DeviceScheduler {
public:
  explicit DeviceScheduler(DeviceObject &device);
  ~DeviceScheduler();

  // ---- queues
  /// CL_OUT_OF_RESOURCES when there are as many as the device has.
  Status add(DeviceQueue &queue) KILN_EXCLUDES(mutex_);
  void remove(DeviceQueue &queue) noexcept KILN_EXCLUDES(mutex_);
  Ref<DeviceQueue> defaultQueue() KILN_EXCLUDES(mutex_);
  void setDefault(DeviceQueue &queue) KILN_EXCLUDES(mutex_);
  /// The default queue; this one, where there is none yet.
  Ref<DeviceQueue> getOrSetDefault(DeviceQueue &queue) KILN_EXCLUDES(mutex_);
  void clearDefault(DeviceQueue &queue) KILN_EXCLUDES(mutex_);

private:
  friend class LaunchRecords;
  friend struct ChildCommand;
  struct EventSlot; // of an event
  class ProfilingWriter;
  struct DeferredActions; // what one thread found to do under the lock, to be done without it

  Status prepare() KILN_REQUIRES(mutex_);
  Result<MirroredMemory> acquireArena(size_t head) KILN_EXCLUDES(mutex_);
  void releaseArena(MirroredMemory arena) noexcept KILN_EXCLUDES(mutex_);
  void keepArena(MirroredMemory arena, DeferredActions &actions) KILN_REQUIRES(mutex_);
  bool mustWaitForArena(ChildCommand &child) KILN_EXCLUDES(mutex_);
  uint64_t eventsAddress() KILN_EXCLUDES(mutex_);
  size_t eventBytes() const;
  /// What kernels left in memory that the host does not see. After eventsAddress.
  Status downloadEvents(Stream &stream, std::byte *to) KILN_NO_THREAD_SAFETY;

  /// The records in the arena of `of` become children of `family`.
  void readRecords(LaunchRecords &of, LaunchRecords &root, CompletionNode &node, DeferredActions &actions) noexcept
      KILN_REQUIRES(mutex_);
  void readRecord(LaunchRecords &root, CompletionNode &node, const abi::EnqueueRecord &record, DeferredActions &actions)
      KILN_REQUIRES(mutex_);
  void onChildEnded(ChildCommand &child, cl_int code, uint64_t start, uint64_t end) noexcept KILN_EXCLUDES(mutex_);
  void completeChild(ChildCommand &child, cl_int code, DeferredActions &actions) noexcept KILN_REQUIRES(mutex_);
  /// A launch that may have enqueued has ended; with a failure its records are not to be had.
  void onLaunchEnded(LaunchRecords &of, LaunchRecords &root, CompletionNode &node, cl_int code) noexcept
      KILN_EXCLUDES(mutex_);
  void releaseQueueBytes(const ChildCommand &child) KILN_REQUIRES(mutex_);
  /// One of what the family counts has ended.
  void countDown(CompletionNode *node, DeferredActions &actions) KILN_REQUIRES(mutex_);
  void onDependencyComplete(ChildCommand &child, cl_int status, DeferredActions &actions) KILN_REQUIRES(mutex_);
  /// Does what the turn says, and what comes of it.
  void run(DeferredActions &actions) noexcept KILN_EXCLUDES(mutex_);

  /// Null for an event that is over and released.
  EventSlot *find(uint64_t event) KILN_REQUIRES(mutex_);
  void addWaiter(ChildCommand &child, uint64_t event) KILN_REQUIRES(mutex_);
  void completeEvent(EventSlot &slot, cl_int status, DeferredActions &actions) KILN_REQUIRES(mutex_);
  void applySnapshot(const std::byte *snapshot) KILN_REQUIRES(mutex_);
  /// Gives a complete command's times to whom they are for. True where that takes a copy: the event is over behind it.
  bool publishProfiling(uint32_t number, DeferredActions &actions) KILN_REQUIRES(mutex_);
  /// Which events kernels have taken since: ahead of the records that name them.
  void scanNewEvents() KILN_REQUIRES(mutex_);
  /// What kernels did to those that are not free again.
  void scanEvents(DeferredActions &actions) KILN_REQUIRES(mutex_);
  /// Does what is due for one event, and frees it when nobody knows it any more.
  void scanEvent(uint32_t number, DeferredActions &actions) KILN_REQUIRES(mutex_);

  abi::DeviceQueue *queueTable() const KILN_REQUIRES(mutex_);
  abi::DeviceEvents *eventTable() KILN_REQUIRES(mutex_);

  DeviceObject &device_;
  Mutex mutex_;
  // What the runtime writes, and what kernels write; none before the first use.
  std::unique_ptr<Memory> hostWrittenTables_ KILN_GUARDED_BY(mutex_);
  MirroredMemory kernelWrittenTables_ KILN_GUARDED_BY(mutex_);
  template <typename T> T *hostWrittenAt(size_t offset) KILN_REQUIRES(mutex_) {
    return reinterpret_cast<T *>(static_cast<std::byte *>(hostWrittenTables_->host) + offset);
  }
  std::vector<DeviceQueue *> queues_ KILN_GUARDED_BY(mutex_); // by place; null where there is none
  DeviceQueue *default_ KILN_GUARDED_BY(mutex_) = nullptr;
  uint64_t largest_ KILN_GUARDED_BY(mutex_) = 0;               // capacity of a queue so far
  std::vector<MirroredMemory> arenas_ KILN_GUARDED_BY(mutex_); // that nobody has
  size_t arenasInUse_ KILN_GUARDED_BY(mutex_) = 0;
  ChildCommand *waitingForArena_ KILN_GUARDED_BY(mutex_) = nullptr; // ready, but for an arena
  std::vector<EventSlot> events_ KILN_GUARDED_BY(mutex_);
  uint64_t seen_ KILN_GUARDED_BY(mutex_) = 0;          // events that were taken, when this was last looked at
  std::vector<uint32_t> live_ KILN_GUARDED_BY(mutex_); // numbers of those that are not free again
  std::vector<std::unique_ptr<LockedStream>> streams_; // made once, with the memory
  size_t nextStream_ KILN_GUARDED_BY(mutex_) = 0;
};

} // namespace kiln
