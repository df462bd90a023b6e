// The progress of a stream, in a word of pinned memory: the device writes ascending numbers, each when everything that
// was issued before it is done. The host reads the word without a driver call; a query of an event takes 0.2 to 0.8 us.
// Launch and wait of an empty kernel on an H200: 6.4 us with a word, 7.0 us with an event.
//
// A lost device writes nothing, so `poll` also queries the driver, at most every 100 us.
#pragma once
#include "backends/gpu/driver/DriverMemoryPool.h"

namespace kiln::gpu {

class CompletionWord {
public:
  /// The device is open. If the driver has no such writes or no memory, `isAvailable` is false.
  CompletionWord(GpuDevice &device, StreamHandle stream);
  /// Everything that was issued is done, or the device is lost.
  ~CompletionWord();
  CompletionWord(const CompletionWord &) = delete;
  CompletionWord &operator=(const CompletionWord &) = delete;

  bool isAvailable() const { return word_; }
  /// Issues the write of the next number. Returns that number, which is not 0. The device is current.
  Result<uint32_t> write();
  /// Returns true if that number has been written. Numbers wrap around.
  bool hasReached(uint32_t number) const {
    return word_ && int32_t(__atomic_load_n(word_, __ATOMIC_ACQUIRE) - number) >= 0;
  }
  /// Queries the driver, unless that was done in the last 100 us. Returns 0 if everything that was issued is done,
  /// Driver::NotReady, or an error. The device is current.
  int poll();

private:
  GpuDevice &device_;
  const StreamHandle stream_;
  DriverMemoryPool::Block block_;
  uint32_t *word_ = nullptr;
  Address address_ = 0; // of the word, for the device
  uint32_t last_ = 0;
  uint64_t lastQuery_ = 0; // its time
};

} // namespace kiln::gpu
