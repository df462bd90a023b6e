// The memory that the buffers of CPU devices use, and its limit.
//
// Linux overcommits: an allocation can succeed without memory behind it, and the OOM killer ends the process when the
// pages are touched. So the sum of all CPU buffers is limited (`KILN_CPU_MEMORY`, default three quarters of the
// machine's or cgroup's memory), and a large block is granted only if the system has memory for it and for all granted
// blocks that are still untouched.
#pragma once
#include "base/support/Mutex.h"
#include <cstddef>
#include <cstdint>
#include <map>

namespace kiln::cpu {

class MemoryBudget {
public:
  /// The budget of this process. The child of a fork has a new one, without the parent's blocks.
  static MemoryBudget &get();

  /// The limit of all blocks together, in bytes. The rest of the memory is for the system and the application.
  uint64_t limit() const { return limit_; }
  /// Grants an untouched block. Returns false, with nothing changed, if it exceeds the limit or the available memory.
  bool acquire(const void *block, size_t bytes) KILN_EXCLUDES(mutex_);
  void release(const void *block, size_t bytes) KILN_EXCLUDES(mutex_);

private:
  explicit MemoryBudget(uint64_t limit) : limit_(limit) {}
  /// Returns true if the system has the bytes, and memory for the untouched pages of the large blocks.
  bool systemHas(size_t bytes) const KILN_REQUIRES(mutex_);

  const uint64_t limit_;
  Mutex mutex_;
  uint64_t used_ KILN_GUARDED_BY(mutex_) = 0;
  uint64_t unchecked_ KILN_GUARDED_BY(mutex_) = 0; // bytes granted since the last check of the system's memory
  std::map<const void *, size_t> blocks_ KILN_GUARDED_BY(mutex_); // the large ones
};

} // namespace kiln::cpu
