#include "backends/cpu/driver/MemoryBudget.h"
#include "backends/cpu/driver/Machine.h"
#include "base/support/Options.h"
#include "base/support/Thread.h"
#include <algorithm>
#include <sys/mman.h>
#include <unistd.h>

namespace kiln::cpu {
namespace {

constexpr size_t LargeBytes = 1 << 20;    // smaller blocks are touched soon, or do not matter
constexpr uint64_t CheckEvery = 16 << 20; // a check takes as long as touching some hundred pages
constexpr uint64_t Granularity = 4 << 20; // so that half of the limit is a whole number of huge pages

constinit std::atomic<MemoryBudget *> current{nullptr};
// In the child of a fork, the lock may be held by a thread of the parent.
constinit ForkHandler forget{[] { current.store(nullptr); }};

/// Bytes of a block without a page.
uint64_t untouched(const void *block, size_t bytes) {
  static const size_t page = size_t(sysconf(_SC_PAGESIZE));
  uintptr_t first = uintptr_t(block) / page * page, end = uintptr_t(block) + bytes;
  uint64_t missing = 0;
  unsigned char there[4096];
  while (first < end) {
    size_t pages = std::min<size_t>((end - first + page - 1) / page, sizeof there);
    if (mincore(reinterpret_cast<void *>(first), pages * page, there) == 0)
      missing += uint64_t(std::count_if(there, there + pages, [](unsigned char c) { return !(c & 1); })) * page;
    first += pages * page;
  }
  return missing;
}

} // namespace

MemoryBudget &MemoryBudget::get() {
  if (MemoryBudget *budget = current.load(std::memory_order_acquire))
    return *budget;
  onFork(forget);
  uint64_t bytes = options().cpuMemory ? options().cpuMemory : memoryBytes() / 4 * 3;
  auto *mine = new MemoryBudget(std::max(bytes / Granularity * Granularity, Granularity));
  MemoryBudget *other = nullptr;
  if (current.compare_exchange_strong(other, mine, std::memory_order_acq_rel))
    return *mine;
  delete mine;
  return *other;
}

bool MemoryBudget::acquire(const void *block, size_t bytes) {
  Lock lock(mutex_);
  if (bytes > limit_ - used_)
    return false;
  if (unchecked_ + bytes >= CheckEvery) {
    if (!systemHas(bytes))
      return false;
    unchecked_ = 0;
  } else {
    unchecked_ += bytes;
  }
  if (bytes >= LargeBytes)
    blocks_.emplace(block, bytes);
  used_ += bytes;
  return true;
}

void MemoryBudget::release(const void *block, size_t bytes) {
  Lock lock(mutex_);
  used_ -= bytes;
  if (bytes >= LargeBytes)
    blocks_.erase(block);
}

bool MemoryBudget::systemHas(size_t bytes) const {
  std::optional<uint64_t> available = availableBytes();
  if (!available || *available >= used_ + bytes)
    return true; // even if no page has been touched
  uint64_t promised = 0;
  for (const auto &[block, size] : blocks_)
    promised += untouched(block, size);
  return *available >= promised + bytes;
}

} // namespace kiln::cpu
