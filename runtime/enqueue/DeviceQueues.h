// The device queues, events and arenas of one device in a context, in memory that kernels and the runtime share.
//
// Kernels acquire bytes of a queue, events and space in an arena; the runtime releases them. Each side writes tables of
// its own (base/abi/EnqueueAbi.h), and the runtime uses no number that a kernel wrote without limiting it.
//
// In kernels an event is an index and a generation. A launch may acquire events; the runtime finds them in
// `findNewEvents` after the launch.
#pragma once
#include "base/abi/EnqueueAbi.h"
#include "base/support/Mutex.h"
#include "runtime/enqueue/DeviceQueue.h"
#include "runtime/enqueue/MirroredMemory.h"
#include <optional>

namespace kiln {

struct EventWaiter;

/// The runtime's state of one event.
struct EventSlot {
  uint32_t liveIndex = 0;     // in the list of events in use
  uint32_t releasedRefs = 0;  // references that the runtime released
  bool isComplete = false;    // the command is complete, or the user event set
  bool isProfiled = false;    // its times are written, or are being copied
  cl_int status = CL_SUCCESS; // if complete
  EventWaiter *firstWaiter = nullptr, *lastWaiter = nullptr;
};

class DeviceQueues {
public:
  static constexpr uint32_t NoEvent = UINT32_MAX;

  explicit DeviceQueues(DeviceObject &device) : device_(device) {}

  // ---- queues
  /// CL_OUT_OF_RESOURCES if the device has no more queues.
  Status add(DeviceQueue &queue) KILN_EXCLUDES(mutex_);
  void remove(DeviceQueue &queue) noexcept KILN_EXCLUDES(mutex_);
  /// A copy of what kernels see of the queue, at this time.
  abi::DeviceQueue tableOf(const DeviceQueue &queue) KILN_EXCLUDES(mutex_);
  Ref<DeviceQueue> defaultQueue() KILN_EXCLUDES(mutex_);
  void setDefault(DeviceQueue &queue) KILN_EXCLUDES(mutex_);
  /// Returns the default queue. Makes `queue` the default if there is none.
  Ref<DeviceQueue> getOrSetDefault(DeviceQueue &queue) KILN_EXCLUDES(mutex_);
  void clearDefault(DeviceQueue &queue) KILN_EXCLUDES(mutex_);

  /// The lock around the functions below.
  Mutex &mutex() KILN_ANNOTATE(lock_returned(mutex_)) { return mutex_; }

  /// The index of the queue that a record names; of no queue if the record is damaged.
  size_t queueIndex(const abi::EnqueueRecord &record) const KILN_REQUIRES(mutex_);
  /// Returns bytes that a kernel has acquired to their queue.
  void releaseBytes(size_t queue, uint64_t bytes) KILN_REQUIRES(mutex_);

  // ---- arenas
  /// An arena of `head` bytes and the largest queue's records. The lock is not held during an allocation.
  Result<MirroredMemory> acquireArena(size_t head) KILN_EXCLUDES(mutex_);
  void releaseArena(MirroredMemory arena) KILN_REQUIRES(mutex_);
  /// Returns false if as many launches have an arena as may have one at a time. If the host can access arenas, a launch
  /// releases its arena before the next one is issued, and any number may have one.
  bool hasFreeArena() const KILN_REQUIRES(mutex_);

  // ---- events
  /// The address of abi::DeviceEvents.
  uint64_t eventsAddress() KILN_EXCLUDES(mutex_);
  /// Copies the indices of free events and all generations to `to`, which has `eventCopyBytes` or is null. Returns the
  /// table of the same time. After acquireArena.
  abi::DeviceEvents copyEvents(std::byte *to) KILN_EXCLUDES(mutex_);
  size_t eventCopyBytes() const;
  /// The size of the tables that kernels write.
  size_t kernelWrittenBytes() const;
  /// Copies the tables that kernels write to `to` if the host cannot access them. After eventsAddress.
  Status downloadTables(Issuer &issuer, std::byte *to) KILN_NO_THREAD_SAFETY;
  /// Takes over a copy that downloadTables made, if it is newer than the last one. Launches end in any order.
  void applySnapshot(const std::byte *snapshot) KILN_REQUIRES(mutex_);
  bool areTablesCopied() const KILN_REQUIRES(mutex_) { return kernelWritten_.isCopied(); }

  /// Finds the events that kernels have acquired since the last call. Called before the records that name them are
  /// read.
  void findNewEvents() KILN_REQUIRES(mutex_);
  /// The index of the event with this value in kernels; NoEvent if it is complete and released.
  uint32_t findEvent(uint64_t event) const KILN_REQUIRES(mutex_);
  EventSlot &slot(uint32_t event) KILN_REQUIRES(mutex_) { return slots_[event]; }
  const std::vector<uint32_t> &eventsInUse() const KILN_REQUIRES(mutex_) { return inUse_; }

  /// What kernels wrote about an event. None while a kernel has acquired it and not written it yet.
  struct KernelState {
    int32_t status;
    bool isReleased;  // no kernel has a reference
    uint64_t profile; // address for the times; 0: none
  };
  std::optional<KernelState> kernelState(uint32_t event) const KILN_REQUIRES(mutex_);
  abi::EventTimes times(uint32_t event) const KILN_REQUIRES(mutex_);
  /// Writes the times of a complete command where kernels can read them.
  void setTimes(uint32_t event, uint64_t run, uint64_t all) KILN_REQUIRES(mutex_);
  /// Makes a complete and released event free for kernels.
  void freeEvent(uint32_t event) KILN_REQUIRES(mutex_);

private:
  /// The offsets in the tables.
  struct Layout {
    explicit Layout(const DeviceInfo &info);
    const size_t queues, events;
    // In the tables that the runtime writes.
    size_t eventTable() const { return queues * sizeof(abi::DeviceQueue); }
    size_t free() const { return eventTable() + sizeof(abi::DeviceEvents); }
    size_t generations() const { return free() + events * sizeof(uint32_t); }
    size_t times() const { return generations() + events * sizeof(uint32_t); }
    size_t hostWrittenSize() const { return times() + events * sizeof(abi::EventTimes); }
    // In the tables that kernels write.
    size_t queueAcquired(size_t index) const { return index * sizeof(uint64_t); }
    size_t eventsAcquired() const { return queues * sizeof(uint64_t); }
    size_t changes() const { return eventsAcquired() + sizeof(uint64_t); }
    size_t eventList() const { return changes() + sizeof(uint64_t); }
    size_t kernelWrittenSize() const { return eventList() + events * sizeof(abi::DeviceEvent); }
  };

  /// Allocates the tables at the first use.
  Status prepare() KILN_REQUIRES(mutex_);
  template <typename T> T *hostWritten(size_t offset) const KILN_REQUIRES(mutex_) {
    return reinterpret_cast<T *>(static_cast<std::byte *>(hostWritten_->host) + offset);
  }
  abi::DeviceQueue *queueTable() const KILN_REQUIRES(mutex_) { return hostWritten<abi::DeviceQueue>(0); }
  abi::DeviceEvents *eventTable() const KILN_REQUIRES(mutex_);
  uint32_t &generation(uint32_t event) const KILN_REQUIRES(mutex_);

  DeviceObject &device_;
  mutable Mutex mutex_;
  std::unique_ptr<Memory> hostWritten_ KILN_GUARDED_BY(mutex_);
  MirroredMemory kernelWritten_ KILN_GUARDED_BY(mutex_);
  std::vector<DeviceQueue *> queues_ KILN_GUARDED_BY(mutex_); // by index; null for a free one
  DeviceQueue *default_ KILN_GUARDED_BY(mutex_) = nullptr;
  uint64_t largest_ KILN_GUARDED_BY(mutex_) = 0;               // the largest capacity of a queue so far
  std::vector<MirroredMemory> arenas_ KILN_GUARDED_BY(mutex_); // for reuse
  size_t arenasInUse_ KILN_GUARDED_BY(mutex_) = 0;
  std::vector<EventSlot> slots_ KILN_GUARDED_BY(mutex_);
  uint64_t found_ KILN_GUARDED_BY(mutex_) = 0;          // acquired events at the last findNewEvents
  std::vector<uint32_t> inUse_ KILN_GUARDED_BY(mutex_); // indices of the events in use
};

} // namespace kiln
