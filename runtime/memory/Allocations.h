// The allocations of a context, found by any address in them, and freed allocations that commands still use.
//
// A command that names a pointer holds its allocation. A kernel that may access memory that it does not name
// (CL_KERNEL_EXEC_INFO_INDIRECT_*_ACCESS_INTEL) would have to hold all allocations; it holds an Epoch instead
// (epoch-based reclamation). While there are such launches, each freeing ends an epoch, which keeps the freed
// allocation and the next epoch. So a freed allocation lives until the launches enqueued before its freeing are
// complete, and later launches do not extend its life.
#pragma once
#include "runtime/memory/Allocation.h"
#include <map>

namespace kiln {

class Allocations {
public:
  /// Launches that may access every allocation that existed when they were enqueued.
  class Epoch {
  public:
    void incRef() { count_.fetch_add(1, std::memory_order_relaxed); }
    void decRef();

  private:
    friend class Allocations;
    std::atomic<uint32_t> count_{0};
    Ref<Allocation> freed_; // the allocation whose freeing ended the epoch
    Ref<Epoch> next_;
  };

  Allocations() : current_(new Epoch) {}

  /// Allocates and adds to the map. CL_OUT_OF_RESOURCES if its addresses are in use already.
  Result<void *> allocate(const Context &context, const Allocation::Request &request) KILN_EXCLUDES(mutex_);
  /// The allocation that contains the address; null if there is none.
  Ref<Allocation> find(const void *pointer) const KILN_EXCLUDES(mutex_);
  /// The allocation that starts at the address; null if there is none.
  Ref<Allocation> at(const void *begin) const {
    Ref<Allocation> found = find(begin);
    return found && found->begin() == begin ? found : nullptr;
  }
  /// All allocations, and those freed since the enqueue of a launch with this epoch. Null: none of the latter.
  std::vector<Ref<Allocation>> all(const Epoch *epoch) const KILN_EXCLUDES(mutex_);
  /// Removes the allocation from the map; its memory is freed with the last Ref. Returns false if it has been freed
  /// already.
  bool free(Allocation &allocation) noexcept KILN_EXCLUDES(mutex_);
  /// The epoch of a launch that may access every allocation.
  Ref<Epoch> currentEpoch() KILN_EXCLUDES(mutex_) {
    Lock lock(mutex_);
    return current_;
  }

private:
  struct Entry {
    Ref<Allocation> allocation;
    Ref<Epoch> next; // becomes the current epoch at the freeing; allocated early, because freeing must not fail
  };
  using AllocationMap = std::map<uintptr_t, Entry>; // by the first byte
  AllocationMap::const_iterator holding(uintptr_t address) const KILN_REQUIRES(mutex_);

  mutable Mutex mutex_;
  AllocationMap allocations_ KILN_GUARDED_BY(mutex_);
  Ref<Epoch> current_ KILN_GUARDED_BY(mutex_);
};

} // namespace kiln
