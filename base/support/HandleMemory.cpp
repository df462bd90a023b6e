#include "base/support/HandleMemory.h"
#include "base/support/Thread.h"
#include <array>
#include <new>

namespace kiln::handle_memory {

#ifdef KILN_SANITIZED

void *acquire(size_t size) { return ::operator new(size); }
void *acquireReusable(size_t) noexcept { return nullptr; }
void release(void *memory, size_t) noexcept { ::operator delete(memory); }

#else

namespace {

constexpr size_t Granule = 64, LargestBlock = 4096; // larger blocks are not kept

size_t rounded(size_t size) { return (size + Granule - 1) / Granule * Granule; }

/// The free blocks of one size, the oldest first.
class FreeBlocks {
public:
  void *acquireReusable() {
    Lock lock(mutex_);
    return count_ > ReuseDelay ? takeOldest() : nullptr;
  }
  /// Returns the block that is to be freed, or null.
  void *add(void *memory) {
    Lock lock(mutex_);
    auto *block = new (memory) Block{nullptr};
    (newest_ ? newest_->next : oldest_) = block;
    newest_ = block;
    return ++count_ > MaxFreeBlocks ? takeOldest() : nullptr;
  }

private:
  struct Block {
    Block *next;
  };
  void *takeOldest() KILN_REQUIRES(mutex_) {
    Block *block = oldest_;
    oldest_ = block->next;
    if (!oldest_)
      newest_ = nullptr;
    --count_;
    return block;
  }

  Mutex mutex_;
  Block *oldest_ KILN_GUARDED_BY(mutex_) = nullptr;
  Block *newest_ KILN_GUARDED_BY(mutex_) = nullptr;
  size_t count_ KILN_GUARDED_BY(mutex_) = 0;
};

using BlocksBySize = std::array<FreeBlocks, LargestBlock / Granule + 1>;
constinit BlocksBySize bySize{};
// Another thread may have held a lock during the fork, with its list half changed. The free blocks are lost to the
// child.
constinit ForkHandler forget{[] { new (&bySize) BlocksBySize{}; }};

} // namespace

void *acquire(size_t size) {
  onFork(forget);
  if (void *memory = acquireReusable(size))
    return memory;
  return ::operator new(rounded(size));
}

void *acquireReusable(size_t size) noexcept {
  return size > LargestBlock ? nullptr : bySize[rounded(size) / Granule].acquireReusable();
}

void release(void *memory, size_t size) noexcept {
  ::operator delete(size > LargestBlock ? memory : bySize[rounded(size) / Granule].add(memory));
}

#endif

} // namespace kiln::handle_memory
