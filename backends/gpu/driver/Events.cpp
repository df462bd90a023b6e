#include "backends/gpu/driver/Events.h"
#include "backends/gpu/driver/GpuDevice.h"
#include "base/support/Trace.h"

namespace kiln::gpu {
namespace {

constexpr float MaxMilliseconds = 200;  // a float's resolution is 15 ns there, and clocks drift by some microseconds
constexpr uint64_t GoodWindow = 12'000; // nanoseconds around the base event; a recording takes about as long
constexpr int Tries = 5;

} // namespace

Result<EventHandle> EventPool::acquire(EventKind kind) {
  {
    Lock lock(mutex_);
    auto &spare = spare_[size_t(kind)];
    if (!spare.empty()) {
      EventHandle event = spare.back();
      spare.pop_back();
      return event;
    }
  }
  EventHandle event = nullptr;
  KILN_TRY(device_.run(device_.driver().calls.createEvent, &event, kind == EventKind::Plain ? EventNoTiming : 0u));
  return event;
}

void EventPool::release(EventHandle event, EventKind kind) noexcept {
  try {
    Lock lock(mutex_);
    spare_[size_t(kind)].push_back(event);
  } catch (const std::bad_alloc &) {
    if (device_.usable())
      device_.driver().calls.destroyEvent.function(event);
  }
}

void EventPool::clear() {
  Lock lock(mutex_);
  for (auto &spare : spare_) {
    for (EventHandle event : spare)
      device_.driver().calls.destroyEvent.function(event);
    spare.clear();
  }
}

Status EventClock::calibrate() {
  const DriverFunctions &calls = device_.driver().calls;
  if (!stream_)
    KILN_TRY(device_.run(calls.createStream, &stream_, StreamNonBlocking));
  uint64_t best = UINT64_MAX;
  for (int i = 0; i < Tries && best > GoodWindow; ++i) {
    EventHandle event = KILN_TRY(device_.events().acquire(EventKind::Timing));
    PooledEvent held(device_.events(), event, EventKind::Timing);
    uint64_t before = nowNanoseconds();
    KILN_TRY(device_.run(calls.record, event, stream_));
    if (int code = device_.wait(event))
      return device_.failed(code, calls.query.name);
    uint64_t after = nowNanoseconds();
    if (after - before >= best)
      continue;
    best = after - before;
    baseTime_ = before + best / 2;
    std::swap(base_, held);
  }
  return {};
}

Status EventClock::times(EventHandle start, EventHandle end, uint64_t &startTime, uint64_t &endTime) {
  const DriverFunctions &calls = device_.driver().calls;
  Lock lock(mutex_);
  if (!base_)
    KILN_TRY(calibrate());
  float fromBase = 0, duration = 0;
  KILN_TRY(device_.run(calls.elapsed, &fromBase, base_.get(), start));
  if (fromBase > MaxMilliseconds || fromBase < -MaxMilliseconds) {
    KILN_TRY(calibrate());
    KILN_TRY(device_.run(calls.elapsed, &fromBase, base_.get(), start));
  }
  KILN_TRY(device_.run(calls.elapsed, &duration, start, end));
  startTime = uint64_t(int64_t(baseTime_) + int64_t(double(fromBase) * 1e6));
  endTime = startTime + (duration > 0 ? uint64_t(double(duration) * 1e6) : 0);
  return {};
}

void EventClock::clear() {
  Lock lock(mutex_);
  base_ = PooledEvent();
  if (stream_)
    device_.driver().calls.destroyStream.function(std::exchange(stream_, nullptr));
}

} // namespace kiln::gpu
