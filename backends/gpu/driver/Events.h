// Driver events, kept for reuse, and the conversion of their times to host time.
#pragma once
#include "backends/gpu/driver/DriverFunctions.h"
#include "base/support/Mutex.h"
#include "base/support/Status.h"
#include <utility>
#include <vector>

namespace kiln::gpu {

class GpuDevice;

enum class EventKind : uint8_t { Plain, Timing };

class EventPool {
public:
  explicit EventPool(GpuDevice &device) : device_(device) {}
  /// The device is current.
  Result<EventHandle> acquire(EventKind kind) KILN_EXCLUDES(mutex_);
  void release(EventHandle event, EventKind kind) noexcept KILN_EXCLUDES(mutex_);
  void clear() KILN_EXCLUDES(mutex_);

private:
  GpuDevice &device_;
  Mutex mutex_;
  std::vector<EventHandle> spare_[2] KILN_GUARDED_BY(mutex_);
};

/// An event of the pool for a scope.
class PooledEvent {
public:
  PooledEvent() = default;
  PooledEvent(EventPool &pool, EventHandle event, EventKind kind) : pool_(&pool), event_(event), kind_(kind) {}
  PooledEvent(PooledEvent &&other) noexcept
      : pool_(other.pool_), event_(std::exchange(other.event_, nullptr)), kind_(other.kind_) {}
  PooledEvent &operator=(PooledEvent &&other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(event_, other.event_);
    std::swap(kind_, other.kind_);
    return *this;
  }
  ~PooledEvent() {
    if (event_)
      pool_->release(event_, kind_);
  }
  EventHandle get() const { return event_; }
  explicit operator bool() const { return event_; }

private:
  EventPool *pool_ = nullptr;
  EventHandle event_ = nullptr;
  EventKind kind_ = EventKind::Plain;
};

/// Converts the times of timing events to nowNanoseconds()'s clock. The driver only returns the difference of two
/// events, as a float of milliseconds. So there is a base event with a known host time, which is replaced before the
/// float's resolution or the drift between the clocks exceeds about a microsecond.
class EventClock {
public:
  explicit EventClock(GpuDevice &device) : device_(device) {}
  /// Both events are reached; the device is current.
  Status times(EventHandle start, EventHandle end, uint64_t &startTime, uint64_t &endTime) KILN_EXCLUDES(mutex_);
  void clear() KILN_EXCLUDES(mutex_);

private:
  Status calibrate() KILN_REQUIRES(mutex_);
  GpuDevice &device_;
  Mutex mutex_;
  StreamHandle stream_ KILN_GUARDED_BY(mutex_) = nullptr;
  PooledEvent base_ KILN_GUARDED_BY(mutex_);
  uint64_t baseTime_ KILN_GUARDED_BY(mutex_) = 0;
};

} // namespace kiln::gpu
