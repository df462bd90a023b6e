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
#include "runtime/enqueue/Ancestor.h"
#include "runtime/enqueue/DeviceQueue.h"
#include "runtime/enqueue/SharedMemory.h"
#include "runtime/program/DeviceProgram.h"
#include "runtime/queue/LockedStream.h"
#include "runtime/support/Mutex.h"

namespace kiln {

/// What is complete when it has ended and all its children are.
struct Family {
  Family *parent = nullptr;
  uint64_t open = 1; // children, and itself
  cl_int code = CL_SUCCESS;
  Ancestor *ancestor = nullptr;  // of a launch from the host
  struct Child *child = nullptr; // of another
  Family *nextEnded = nullptr;
};

/// What a program lets its kernels do when they enqueue.
struct EnqueueRules {
  bool detailed = false; // errors are told apart
  bool uniform = false;  // local sizes have to divide global ones
};

class DeviceScheduler;

/// A launch's arena, and with that what it enqueues.
class Children {
public:
  Children(DeviceScheduler &scheduler, std::shared_ptr<const DeviceProgram> program, EnqueueRules rules,
           std::vector<Ref<DeviceQueue>> queues)
      : scheduler_(scheduler), program_(std::move(program)), rules_(rules), queues_(std::move(queues)) {}
  ~Children();

  /// Before the launch: `address` gets what it wants as Launch::enqueueArena.
  Status begin(Stream &stream, uint64_t &address);
  /// Behind it.
  Status end(Stream &stream);
  /// The launch, from the host, has ended well on `stream`: runs what it enqueued. `ancestor` is told of the end,
  /// perhaps before this returns, and this lives until then.
  void adopt(Ancestor &ancestor, LockedStream &stream) noexcept;

private:
  friend class DeviceScheduler;
  friend struct Child;
  class Rest;
  /// The launch has ended: what it enqueued becomes children of `family`, its own, in the tree below `root`.
  void collect(Children &root, Family &family, cl_int code) noexcept;
  /// What the events were when the launch had ended, where the host does not see them.
  const std::byte *snapshot() const { return arena_.host() + arena_.size(); }

  DeviceScheduler &scheduler_;
  const std::shared_ptr<const DeviceProgram> program_;
  const EnqueueRules rules_;
  const std::vector<Ref<DeviceQueue>> queues_; // that the launch was given, and so may enqueue to
  SharedMemory arena_;
  size_t records_ = 0; // where they begin there
  Family root_;
  LockedStream *home_ = nullptr; // of a launch from the host: where it ran
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
  Ref<DeviceQueue> offerDefault(DeviceQueue &queue) KILN_EXCLUDES(mutex_);
  void forgetDefault(DeviceQueue &queue) KILN_EXCLUDES(mutex_);

private:
  friend class Children;
  friend struct Child;
  struct Slot; // of an event
  class TimesWriter;
  struct Turn; // what one thread found to do under the lock, to be done without it

  Status prepare() KILN_REQUIRES(mutex_);
  Result<SharedMemory> takeArena(size_t head) KILN_EXCLUDES(mutex_);
  void giveArena(SharedMemory arena) noexcept KILN_EXCLUDES(mutex_);
  void putBack(SharedMemory arena, Turn &turn) KILN_REQUIRES(mutex_);
  bool starves(Child &child) KILN_EXCLUDES(mutex_);
  uint64_t eventsAddress() KILN_EXCLUDES(mutex_);
  size_t eventBytes() const;
  /// What kernels left in memory that the host does not see. After eventsAddress.
  Status fetchEvents(Stream &stream, std::byte *to) KILN_NO_THREAD_SAFETY;

  /// The records in the arena of `of` become children of `family`.
  void readRecords(Children &of, Children &root, Family &family, Turn &turn) noexcept KILN_REQUIRES(mutex_);
  void readRecord(Children &root, Family &family, const abi::EnqueueRecord &record, Turn &turn) KILN_REQUIRES(mutex_);
  void childEnded(Child &child, cl_int code, uint64_t start, uint64_t end) noexcept KILN_EXCLUDES(mutex_);
  void endLocked(Child &child, cl_int code, Turn &turn) noexcept KILN_REQUIRES(mutex_);
  /// A launch that may have enqueued has ended; with a failure its records are not to be had.
  void launchEnded(Children &of, Children &root, Family &family, cl_int code) noexcept KILN_EXCLUDES(mutex_);
  void giveBack(const Child &child) KILN_REQUIRES(mutex_);
  /// One of what the family counts has ended.
  void countDown(Family *family, Turn &turn) KILN_REQUIRES(mutex_);
  void dependencyEnded(Child &child, cl_int status, Turn &turn) KILN_REQUIRES(mutex_);
  /// Does what the turn says, and what comes of it.
  void run(Turn &turn) noexcept KILN_EXCLUDES(mutex_);

  /// Null for an event that is over and released.
  Slot *find(uint64_t event) KILN_REQUIRES(mutex_);
  void waitFor(Child &child, uint64_t event) KILN_REQUIRES(mutex_);
  void settle(Slot &slot, cl_int status, Turn &turn) KILN_REQUIRES(mutex_);
  void seeEvents(const std::byte *snapshot) KILN_REQUIRES(mutex_);
  /// Gives a complete command's times to whom they are for. True where that takes a copy: the event is over behind it.
  bool tellTimes(uint32_t number, Turn &turn) KILN_REQUIRES(mutex_);
  /// Which events kernels have taken since: ahead of the records that name them.
  void noticeEvents() KILN_REQUIRES(mutex_);
  /// What kernels did to those that are not free again.
  void readEvents(Turn &turn) KILN_REQUIRES(mutex_);
  /// Does what is due for one event, and frees it when nobody knows it any more.
  void readEvent(uint32_t number, Turn &turn) KILN_REQUIRES(mutex_);

  abi::DeviceQueue *queueTable() const KILN_REQUIRES(mutex_);
  abi::DeviceEvents *eventTable() KILN_REQUIRES(mutex_);

  DeviceObject &device_;
  Mutex mutex_;
  // What the runtime writes, and what kernels write; none before the first use.
  std::unique_ptr<Memory> runtimeSide_ KILN_GUARDED_BY(mutex_);
  SharedMemory kernelSide_ KILN_GUARDED_BY(mutex_);
  template <typename T> T *runtimeAt(size_t offset) KILN_REQUIRES(mutex_) {
    return reinterpret_cast<T *>(static_cast<std::byte *>(runtimeSide_->host) + offset);
  }
  std::vector<DeviceQueue *> queues_ KILN_GUARDED_BY(mutex_); // by place; null where there is none
  DeviceQueue *default_ KILN_GUARDED_BY(mutex_) = nullptr;
  uint64_t largest_ KILN_GUARDED_BY(mutex_) = 0;             // capacity of a queue so far
  std::vector<SharedMemory> arenas_ KILN_GUARDED_BY(mutex_); // that nobody has
  size_t arenasTaken_ KILN_GUARDED_BY(mutex_) = 0;
  Child *starving_ KILN_GUARDED_BY(mutex_) = nullptr; // ready, but for an arena
  std::vector<Slot> slots_ KILN_GUARDED_BY(mutex_);
  uint64_t seen_ KILN_GUARDED_BY(mutex_) = 0;          // events that were taken, when this was last looked at
  std::vector<uint32_t> live_ KILN_GUARDED_BY(mutex_); // numbers of those that are not free again
  std::vector<std::unique_ptr<LockedStream>> streams_; // made once, with the memory
  size_t nextStream_ KILN_GUARDED_BY(mutex_) = 0;
};

} // namespace kiln
