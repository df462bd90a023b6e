// A line's ring of pinned memory, through which copies between the device and pageable host memory go. Pieces lie in
// the ring in the order of the stream. A piece on its way to the device is free again when the device has read it; one
// on its way to the host is copied to where it belongs when it has arrived, by whoever looks first: a thread that
// waits, the watcher, or the one that issues and finds the ring full. None of this calls anything but the driver, so it
// can be done at any time and the ring cannot be what a deadlock is made of.
#pragma once
#include "backends/gpu/driver/DriverMemoryPool.h"
#include "backends/gpu/driver/Events.h"
#include <atomic>
#include <deque>

namespace kiln::gpu {

/// Rows of host memory.
struct HostRows {
  std::byte *host = nullptr;
  size_t pitch = 0, width = 0, rows = 0;
};
/// Copies between rows and memory in which they lie tight.
void gather(std::byte *to, const HostRows &from);
void scatter(const HostRows &to, const std::byte *from);

class Staging {
public:
  /// The largest piece: small enough that the host's copy of one overlaps the device's of the next.
  static constexpr size_t ChunkBytes = 512 << 10;

  Staging(GpuDevice &device, StreamHandle stream) : device_(device), stream_(stream) {}
  ~Staging();

  /// Room for the next piece; waits for the oldest ones where there is none. For the thread that issues, with the
  /// device current; `push` follows unless something fails.
  Result<std::byte *> reserve(size_t bytes) KILN_EXCLUDES(mutex_);
  /// The copy from or to the room was issued. `to` has rows where the piece goes to the host.
  Status push(const HostRows &to) KILN_EXCLUDES(mutex_);

  /// Pieces to the host so far.
  uint64_t issued() const { return issued_.load(std::memory_order_acquire); }
  /// Whether the first so many are where they belong; sees to those that have arrived. The device is current.
  bool arrived(uint64_t count) KILN_EXCLUDES(mutex_);
  /// Waits until they are.
  Status waitArrived(uint64_t count) KILN_EXCLUDES(mutex_);
  /// Whether one of the first so many was lost, and nobody was told.
  bool takeFailure(uint64_t count);
  /// How many pieces must arrive before these bytes of the host's memory may be used.
  uint64_t lastInto(const std::byte *host, size_t bytes) KILN_EXCLUDES(mutex_);
  /// Gives the ring away when nothing is in it.
  void freeIfEmpty() KILN_EXCLUDES(mutex_);

private:
  struct Chunk {
    size_t begin, end; // in the ring
    PooledEvent event;
    HostRows to;
    uint64_t number; // of the pieces to the host, from 1
  };
  /// Sees to the oldest piece; false when it is still on its way, and `wait` is not given.
  bool finishOldest(bool wait) KILN_REQUIRES(mutex_);

  GpuDevice &device_;
  const StreamHandle stream_;
  std::atomic<uint64_t> issued_{0}, arrived_{0};
  std::atomic<uint64_t> lost_{UINT64_MAX}; // the first piece that did not arrive
  Mutex mutex_;
  DriverMemoryPool::Block ring_ KILN_GUARDED_BY(mutex_);
  size_t head_ KILN_GUARDED_BY(mutex_) = 0, tail_ KILN_GUARDED_BY(mutex_) = 0; // next free, oldest used
  std::deque<Chunk> chunks_ KILN_GUARDED_BY(mutex_);
  size_t reservedBegin_ KILN_GUARDED_BY(mutex_) = 0, reservedEnd_ KILN_GUARDED_BY(mutex_) = 0; // by `reserve`
  std::atomic<bool> hasRing_{false};
};

} // namespace kiln::gpu
