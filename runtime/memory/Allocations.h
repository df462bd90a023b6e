// A context's allocations, found by any address in them, and what is still needed of those that were freed.
//
// Commands that name a pointer hold its allocation. A kernel that may reach memory that it does not name
// (CL_KERNEL_EXEC_INFO_INDIRECT_*_ACCESS_INTEL) would have to hold all there are; it holds an Epoch instead. While
// there are such launches each freeing ends an epoch, which keeps what was freed, and the epoch after it: so what was
// freed stays until the launches before its freeing have ended, and those after it do not matter.
#pragma once
#include "runtime/memory/Allocation.h"
#include <map>

namespace kiln {

class Allocations {
public:
  /// Launches that may reach whatever was allocated when they were enqueued.
  class Epoch {
  public:
    void hold() { count_.fetch_add(1, std::memory_order_relaxed); }
    void drop();

  private:
    friend class Allocations;
    std::atomic<uint32_t> count_{0};
    Ref<Allocation> freed_; // at its end
    Ref<Epoch> next_;
  };

  Allocations() : current_(new Epoch) {}

  /// An allocation that is known from now on. CL_OUT_OF_RESOURCES where there is something at its addresses already.
  Result<void *> allocate(const Context &context, const Allocation::Request &request) KILN_EXCLUDES(mutex_);
  /// The one that the address lies in; null where there is none.
  Ref<Allocation> find(const void *pointer) const KILN_EXCLUDES(mutex_);
  /// The same for its first byte.
  Ref<Allocation> at(const void *begin) const {
    Ref<Allocation> found = find(begin);
    return found && found->begin() == begin ? found : nullptr;
  }
  /// All there are, and those that were freed since a launch with this epoch was enqueued; null is no launch.
  std::vector<Ref<Allocation>> all(const Epoch *epoch) const KILN_EXCLUDES(mutex_);
  /// Takes the allocation from the application: its memory goes when nobody uses it any more. False where somebody else
  /// has freed it.
  bool free(Allocation &allocation) noexcept KILN_EXCLUDES(mutex_);
  /// For a launch that may reach all there are.
  Ref<Epoch> currentEpoch() KILN_EXCLUDES(mutex_) {
    Lock lock(mutex_);
    return current_;
  }

private:
  struct Entry {
    Ref<Allocation> allocation;
    Ref<Epoch> next; // which may begin when it is freed: there must be memory for that then
  };
  using AllocationMap = std::map<uintptr_t, Entry>; // by the first byte
  AllocationMap::const_iterator holding(uintptr_t address) const KILN_REQUIRES(mutex_);

  mutable Mutex mutex_;
  AllocationMap allocations_ KILN_GUARDED_BY(mutex_);
  Ref<Epoch> current_ KILN_GUARDED_BY(mutex_);
};

} // namespace kiln
