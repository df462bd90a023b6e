// Driver memory, kept for reuse: allocating is slow in both libraries, and freeing waits for the whole device. A block
// is released when no command uses it, so it can be reused at once. The kept bytes are bounded, and they are freed when
// an allocation fails.
#pragma once
#include "backends/gpu/driver/DriverFunctions.h"
#include "base/support/Mutex.h"
#include "base/support/Status.h"
#include <map>

namespace kiln::gpu {

class GpuDevice;

class DriverMemoryPool {
public:
  enum class Where : uint8_t { Device, Host };
  DriverMemoryPool(GpuDevice &device, Where where) : device_(device), where_(where) {}

  struct Block {
    uint64_t address = 0; // a host pointer for Where::Host
    size_t size = 0;
  };
  Result<Block> acquire(size_t bytes) KILN_EXCLUDES(mutex_);
  void release(Block block) noexcept KILN_EXCLUDES(mutex_);
  /// Frees everything that is kept. The device is current.
  void trim() KILN_EXCLUDES(mutex_);
  void setLimit(size_t bytes) { limit_ = bytes; }

private:
  int allocate(size_t bytes, Block &block) const;
  void free(Block block) const;

  GpuDevice &device_;
  const Where where_;
  size_t limit_ = 0;
  Mutex mutex_;
  std::multimap<size_t, uint64_t> kept_ KILN_GUARDED_BY(mutex_); // by size
  size_t keptBytes_ KILN_GUARDED_BY(mutex_) = 0;
};

} // namespace kiln::gpu
