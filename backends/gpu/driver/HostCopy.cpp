#include "backends/gpu/driver/HostCopy.h"
#include "backends/gpu/driver/Driver.h"
#include "base/support/Futex.h"
#include "base/support/Mutex.h"
#include "base/support/Thread.h"
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <sched.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace kiln::gpu {
namespace {

constexpr size_t PieceBytes = 64 << 10;
constexpr size_t MinBytes = 4 * PieceBytes; // below, waking a thread takes longer than the copy
constexpr unsigned MaxHelpers = 3;          // four threads reach the bandwidth of a PCIe 5 bus

/// memcpy whose stores bypass the caches.
void streamCopy(std::byte *to, const std::byte *from, size_t bytes) {
#ifdef __SSE2__
  const size_t head = std::min(bytes, size_t(-uintptr_t(to) & 63));
  std::memcpy(to, from, head);
  to += head, from += head, bytes -= head;
  for (; bytes >= 64; bytes -= 64, to += 64, from += 64)
    for (size_t at = 0; at < 64; at += 16)
      _mm_stream_si128(reinterpret_cast<__m128i *>(to + at),
                       _mm_loadu_si128(reinterpret_cast<const __m128i *>(from + at)));
  _mm_sfence();
#endif
  std::memcpy(to, from, bytes);
}

void copyOnThread(std::byte *to, const std::byte *from, size_t bytes, NextReader reader) {
  if (reader == NextReader::Device)
    streamCopy(to, from, bytes);
  else
    std::memcpy(to, from, bytes);
}

/// The copy that is being divided. A helper takes a piece by decrementing the number of pieces that are left in
/// `ticket_`. The range is written only while no piece is left, and a ticket has the copy's number, so a helper that
/// takes a piece has read the range that the piece belongs to.
class SharedCopy {
public:
  void copy(std::byte *to, const std::byte *from, size_t bytes, NextReader reader) KILN_EXCLUDES(mutex_) {
    if (!mutex_.tryLock()) {
      copyOnThread(to, from, bytes, reader); // another thread's copy has the helpers
      return;
    }
    startHelpers();
    const auto pieces = uint32_t((bytes + PieceBytes - 1) / PieceBytes);
    to_.store(to, std::memory_order_relaxed);
    from_.store(from, std::memory_order_relaxed);
    bytes_.store(bytes, std::memory_order_relaxed);
    reader_.store(reader, std::memory_order_relaxed);
    unfinished_.store(pieces, std::memory_order_relaxed);
    const uint32_t number = number_.load(std::memory_order_relaxed) + 1;
    ticket_.store(uint64_t(number) << 32 | pieces, std::memory_order_release);
    number_.store(number, std::memory_order_seq_cst);
    helpers_.wake(number_);
    while (copyPiece()) {
    }
    // At most one piece of each helper.
    while (!spinFor(2000, [this] { return unfinished_.load(std::memory_order_acquire) == 0; }))
      sched_yield();
    mutex_.unlock();
  }

private:
  void startHelpers() KILN_REQUIRES(mutex_) {
    const unsigned wanted = std::min(MaxHelpers, processorCount() - 1);
    while (started_ < wanted &&
           startThread("kiln-copy", [](void *self) { static_cast<SharedCopy *>(self)->help(); }, this))
      ++started_;
  }
  /// Copies one piece. Returns false if none is left.
  bool copyPiece() {
    uint64_t ticket = ticket_.load(std::memory_order_acquire);
    for (;;) {
      const auto left = uint32_t(ticket);
      if (!left)
        return false;
      std::byte *to = to_.load(std::memory_order_relaxed);
      const std::byte *from = from_.load(std::memory_order_relaxed);
      const size_t bytes = bytes_.load(std::memory_order_relaxed);
      const NextReader reader = reader_.load(std::memory_order_relaxed);
      if (!ticket_.compare_exchange_weak(ticket, ticket - 1, std::memory_order_acq_rel, std::memory_order_acquire))
        continue;
      const size_t begin = size_t(left - 1) * PieceBytes;
      copyOnThread(to + begin, from + begin, std::min(PieceBytes, bytes - begin), reader);
      unfinished_.fetch_sub(1, std::memory_order_release);
      return true;
    }
  }
  [[noreturn]] void help() {
    for (uint32_t seen = 0;;) {
      helpers_.wait(number_, [&] { return number_.load(std::memory_order_seq_cst) != seen; });
      seen = number_.load(std::memory_order_seq_cst);
      while (copyPiece()) {
      }
    }
  }

  Mutex mutex_;
  unsigned started_ KILN_GUARDED_BY(mutex_) = 0;
  std::atomic<std::byte *> to_{nullptr};
  std::atomic<const std::byte *> from_{nullptr};
  std::atomic<size_t> bytes_{0};
  std::atomic<NextReader> reader_{NextReader::Host};
  std::atomic<uint64_t> ticket_{0}; // the copy's number, and the pieces that are left
  std::atomic<uint32_t> unfinished_{0};
  std::atomic<uint32_t> number_{0};
  WaitQueue helpers_;
};

} // namespace

void copyHost(std::byte *to, const std::byte *from, size_t bytes, NextReader reader) {
  if (bytes < MinBytes || processorCount() == 1 || Driver::forked()) {
    std::memcpy(to, from, bytes);
    return;
  }
  static auto *shared = new SharedCopy; // leaked: its threads run until the process ends
  shared->copy(to, from, bytes, reader);
}

} // namespace kiln::gpu
