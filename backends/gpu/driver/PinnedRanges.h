// Ranges of memory that the host and the devices of one library can access, found by pointers of the application: a
// program that maps pinned storage may pass such pointers to reads and writes of other buffers.
#pragma once
#include "base/support/Mutex.h"
#include <cstddef>
#include <cstdint>
#include <map>

namespace kiln::gpu {

class PinnedRanges {
public:
  void add(const void *host, size_t bytes) {
    Lock lock(mutex_);
    ranges_[uintptr_t(host)] = bytes;
  }
  void remove(const void *host) {
    Lock lock(mutex_);
    ranges_.erase(uintptr_t(host));
  }
  bool covers(const void *host, size_t bytes) const {
    Lock lock(mutex_);
    auto after = ranges_.upper_bound(uintptr_t(host));
    if (after == ranges_.begin())
      return false;
    auto [start, size] = *--after;
    size_t offset = uintptr_t(host) - start;
    return offset <= size && bytes <= size - offset;
  }

private:
  mutable Mutex mutex_;
  std::map<uintptr_t, size_t> ranges_ KILN_GUARDED_BY(mutex_);
};

} // namespace kiln::gpu
