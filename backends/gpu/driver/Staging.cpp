#include "backends/gpu/driver/Staging.h"
#include "backends/gpu/driver/GpuDevice.h"
#include "backends/gpu/driver/HostCopy.h"
#include <cstring>
#include <utility>

namespace kiln::gpu {
namespace {

constexpr size_t RingBytes = 8 * Staging::ChunkBytes;
constexpr size_t Alignment = 256;

} // namespace

void gather(std::byte *to, const HostRows &from) {
  if (from.rows == 1 || from.pitch == from.width) { // a chunk of a longer row has that row's pitch
    copyHost(to, from.host, from.width * from.rows, NextReader::Device);
    return;
  }
  for (size_t row = 0; row < from.rows; ++row)
    std::memcpy(to + row * from.width, from.host + row * from.pitch, from.width);
}

void scatter(const HostRows &to, const std::byte *from) {
  if (to.rows == 1 || to.pitch == to.width) {
    copyHost(to.host, from, to.width * to.rows);
    return;
  }
  for (size_t row = 0; row < to.rows; ++row)
    std::memcpy(to.host + row * to.pitch, from + row * to.width, to.width);
}

Staging::~Staging() {
  Lock lock(mutex_);
  if (ring_.address)
    device_.hostPool().release(ring_);
}

Result<std::byte *> Staging::reserve(size_t bytes) {
  Lock lock(mutex_);
  if (!reservedEvent_) // before the copy is issued: without an event, its end would not be known
    reservedEvent_ =
        PooledEvent(device_.events(), KILN_TRY(device_.events().acquire(EventKind::Plain)), EventKind::Plain);
  if (!ring_.address) {
    ring_ = KILN_TRY(device_.hostPool().acquire(RingBytes));
    hasRing_.store(true, std::memory_order_relaxed);
  }
  bytes = (bytes + Alignment - 1) / Alignment * Alignment;
  while (!chunks_.empty() && finishOldest(false)) {
  }
  for (;;) {
    if (chunks_.empty())
      head_ = tail_ = 0;
    // Used bytes are [tail_, head_), or all but [head_, tail_) if they wrap around. The two are equal only if the ring
    // is empty.
    size_t begin = SIZE_MAX;
    if (head_ >= tail_) {
      if (head_ + bytes <= RingBytes)
        begin = head_;
      else if (bytes < tail_)
        begin = 0;
    } else if (head_ + bytes < tail_) {
      begin = head_;
    }
    if (begin != SIZE_MAX) {
      reservedBegin_ = begin;
      reservedEnd_ = begin + bytes;
      return reinterpret_cast<std::byte *>(ring_.address) + begin;
    }
    finishOldest(true);
    if (!device_.usable())
      return device_.lostStatus();
  }
}

Status Staging::push(const HostRows &to) {
  const DriverFunctions &calls = device_.driver().calls;
  Lock lock(mutex_);
  const EventHandle event = reservedEvent_.get();
  if (Status recorded = device_.run(calls.record, event, stream_); !recorded.ok()) {
    // The copy may still use the bytes, which the next chunk may get.
    if (device_.run(calls.record, event, stream_).ok())
      (void)device_.wait(event);
    return recorded;
  }
  uint64_t number = to.rows ? issued_.load(std::memory_order_relaxed) + 1 : 0;
  try {
    chunks_.emplace_back();
  } catch (const std::bad_alloc &) {
    (void)device_.wait(event); // the bytes are reusable then
    throw;
  }
  chunks_.back() = {reservedBegin_, reservedEnd_, std::move(reservedEvent_), to, number};
  head_ = std::exchange(reservedEnd_, 0);
  if (to.rows)
    issued_.store(number, std::memory_order_release);
  return {};
}

bool Staging::finishOldest(bool wait) {
  const DriverFunctions &calls = device_.driver().calls;
  Chunk &chunk = chunks_.front();
  int code = -1;
  if (device_.usable()) {
    const EventHandle event = chunk.event.get();
    code = wait ? device_.wait(event) : calls.query.function(event);
    if (code == Driver::NotReady)
      return false;
    if (code) {
      (void)device_.failed(code, calls.query.name);
      if (device_.usable()) // the copy may still use the bytes
        (void)device_.wait(event);
    }
  }
  if (chunk.to.rows) {
    if (!code)
      scatter(chunk.to, reinterpret_cast<std::byte *>(ring_.address) + chunk.begin);
    else if (lost_.load(std::memory_order_relaxed) == UINT64_MAX)
      lost_.store(chunk.number, std::memory_order_relaxed);
    arrived_.store(chunk.number, std::memory_order_release);
  }
  tail_ = chunk.end;
  chunks_.pop_front();
  return true;
}

bool Staging::arrived(uint64_t count) {
  if (arrived_.load(std::memory_order_acquire) >= count)
    return true;
  if (!mutex_.tryLock())
    return false; // another thread copies
  while (!chunks_.empty() && arrived_.load(std::memory_order_relaxed) < count && finishOldest(false)) {
  }
  mutex_.unlock();
  return arrived_.load(std::memory_order_acquire) >= count;
}

Status Staging::waitArrived(uint64_t count) {
  if (arrived_.load(std::memory_order_acquire) < count) {
    Lock lock(mutex_);
    while (!chunks_.empty() && arrived_.load(std::memory_order_relaxed) < count)
      finishOldest(true);
  }
  if (lost_.load(std::memory_order_relaxed) <= count)
    return fail(CL_OUT_OF_RESOURCES, "an earlier read of the bytes failed");
  return {};
}

bool Staging::takeFailure(uint64_t count) {
  if (lost_.load(std::memory_order_relaxed) > count)
    return false;
  lost_.store(UINT64_MAX, std::memory_order_relaxed);
  return true;
}

uint64_t Staging::lastInto(const std::byte *host, size_t bytes) {
  if (arrived_.load(std::memory_order_acquire) >= issued())
    return 0;
  uint64_t last = 0;
  Lock lock(mutex_);
  for (const Chunk &chunk : chunks_)
    if (chunk.to.rows && chunk.to.host < host + bytes &&
        host < chunk.to.host + (chunk.to.rows - 1) * chunk.to.pitch + chunk.to.width)
      last = chunk.number;
  return last;
}

void Staging::freeIfEmpty() {
  if (!hasRing_.load(std::memory_order_relaxed) || !mutex_.tryLock())
    return;
  while (!chunks_.empty() && finishOldest(false)) {
  }
  if (chunks_.empty() && !reservedEnd_ && ring_.address) {
    device_.hostPool().release(std::exchange(ring_, {}));
    hasRing_.store(false, std::memory_order_relaxed);
  }
  mutex_.unlock();
}

} // namespace kiln::gpu
