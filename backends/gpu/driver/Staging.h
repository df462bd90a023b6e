// A stream's staging ring: pinned memory through which copies between the device and pageable host memory go. Chunks
// are in the ring in stream order. A chunk to the device is reusable when the device has read it. A chunk to the host
// is copied to its destination when it has arrived, by the first thread that polls: a waiting thread, the poller, or
// the issuing thread that finds the ring full. This calls nothing but the driver, so it can be done at any time and
// cannot be part of a deadlock.
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
/// Copy between rows and contiguous memory.
void gather(std::byte *to, const HostRows &from);
void scatter(const HostRows &to, const std::byte *from);

class Staging {
public:
  /// The largest chunk. Small enough that the host's copy of one overlaps the device's copy of the next.
  static constexpr size_t ChunkBytes = 1 << 20;

  Staging(GpuDevice &device, StreamHandle stream) : device_(device), stream_(stream) {}
  ~Staging();

  /// Reserves memory for the next chunk; waits for the oldest ones if the ring is full. Called by the issuing thread
  /// with the device current; `push` follows unless a call fails.
  Result<std::byte *> reserve(size_t bytes) KILN_EXCLUDES(mutex_);
  /// The device's copy of the chunk was issued. For a chunk to the host `to` has rows.
  Status push(const HostRows &to) KILN_EXCLUDES(mutex_);

  /// The number of chunks to the host so far.
  uint64_t issued() const { return issued_.load(std::memory_order_acquire); }
  /// Returns true if the first `count` chunks are at their destination, after copying those that have arrived. The
  /// device is current.
  bool arrived(uint64_t count) KILN_EXCLUDES(mutex_);
  /// Waits until the first `count` chunks are at their destination.
  Status waitArrived(uint64_t count) KILN_EXCLUDES(mutex_);
  /// Returns true, once, if one of the first `count` chunks was lost.
  bool takeFailure(uint64_t count);
  /// The number of chunks that must arrive before this host memory may be used.
  uint64_t lastInto(const std::byte *host, size_t bytes) KILN_EXCLUDES(mutex_);
  /// Releases the ring if it is empty.
  void freeIfEmpty() KILN_EXCLUDES(mutex_);

private:
  struct Chunk {
    size_t begin, end; // in the ring
    PooledEvent event;
    HostRows to;
    uint64_t number; // among the chunks to the host, from 1
  };
  /// Completes the oldest chunk. Returns false if it is not finished and `wait` is false.
  bool finishOldest(bool wait) KILN_REQUIRES(mutex_);

  GpuDevice &device_;
  const StreamHandle stream_;
  std::atomic<uint64_t> issued_{0}, arrived_{0};
  std::atomic<uint64_t> lost_{UINT64_MAX}; // the first chunk that did not arrive
  Mutex mutex_;
  DriverMemoryPool::Block ring_ KILN_GUARDED_BY(mutex_);
  size_t head_ KILN_GUARDED_BY(mutex_) = 0, tail_ KILN_GUARDED_BY(mutex_) = 0; // next free, oldest used
  std::deque<Chunk> chunks_ KILN_GUARDED_BY(mutex_);
  size_t reservedBegin_ KILN_GUARDED_BY(mutex_) = 0, reservedEnd_ KILN_GUARDED_BY(mutex_) = 0; // by `reserve`
  PooledEvent reservedEvent_ KILN_GUARDED_BY(mutex_);                                          // by `reserve`
  std::atomic<bool> hasRing_{false};
};

} // namespace kiln::gpu
